package server

// Usage counts what a model request, a turn or a session has used. The zero value is nothing.
type Usage struct {
	Model        string
	InputTokens  int64
	OutputTokens int64
	// ThoughtTokens are the part of OutputTokens that the model spent on reasoning, if the provider says.
	ThoughtTokens int64
	// CacheReadTokens and CacheWriteTokens are input tokens that the provider's prompt cache served or stored. They are not part of InputTokens.
	CacheReadTokens  int64
	CacheWriteTokens int64
	// Context is how many tokens the conversation takes up in the model's window of Window tokens. Zero Window is unknown.
	Context, Window int64
	Cost            Cost
}

// Cost is an amount of money. The zero value is unknown.
type Cost struct {
	Amount float64
	// Currency is an ISO 4217 code, such as "USD".
	Currency string
}
