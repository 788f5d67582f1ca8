module github.com/acpwire/acpwire/tools/bench

go 1.26.0

replace github.com/acpwire/acpwire => ../..

require (
	github.com/acpwire/acpwire v0.0.0
	github.com/coder/acp-go-sdk v0.13.0
	github.com/go-json-experiment/json v1.27.2
	github.com/google/go-cmp v0.7.0
	github.com/santhosh-tekuri/jsonschema/v5 v5.3.1
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
)

require golang.org/x/text v0.14.0 // indirect
