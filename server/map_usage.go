package server

import (
	"math"
	"strings"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// usageUpdateOf maps how full the model's window is. ok is false if that is unknown: a client could only show a wrong share. A cost without a currency code or that
// is no amount is left out.
func usageUpdateOf(u Usage) (update *acpv1.UsageUpdate, ok bool) {
	if u.Window <= 0 || u.Context < 0 {
		return nil, false
	}
	return &acpv1.UsageUpdate{Used: uint64(u.Context), Size: uint64(u.Window), Cost: wireCost(u.Cost)}, true
}

func wireCost(c Cost) *acpv1.Cost {
	currency, ok := currencyOf(c.Currency)
	if !ok || c.Amount < 0 || math.IsNaN(c.Amount) || math.IsInf(c.Amount, 0) {
		return nil
	}
	return &acpv1.Cost{Amount: c.Amount, Currency: currency}
}

// currencyOf returns a code in the form of ISO 4217.
func currencyOf(code string) (string, bool) {
	code = strings.ToUpper(code)
	return code, len(code) == 3 && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}
