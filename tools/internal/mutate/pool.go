package mutate

import (
	"math/big"
	"strings"
)

// integerFormats are the formats that are ranges: lowest and highest.
var integerFormats = map[string][2]string{
	"int32":  {"-2147483648", "2147483647"},
	"int64":  {"-9223372036854775808", "9223372036854775807"},
	"uint16": {"0", "65535"},
	"uint32": {"0", "4294967295"},
	"uint64": {"0", "18446744073709551615"},
}

// numberTexts are numbers at the edges of formats, of float64 and of the grammar. All are JSON.
var numberTexts = append(aroundBounds(),
	"0", "1", "7", "-1", "-0", "0.0", "-0.0", "0e0", "0E-7", "-0e+9", "0e999999999", "0.00e-99999999999999999999", "1.0", "7e3", "7E+3", "7000e-3", "1.5", "-1.5",
	"0.5", "10e-1", "15e-1", "1.50e1", "12.50e1", "12.50e2", "1.000000000000000000000000000000000000000000001",
	"9007199254740991", "9007199254740992", "9007199254740993", "9007199254740993.0", "1e15", "1e18", "1e19", "1e20", "1e21", "1e22", "1e23", "-1e18", "-1e19",
	"1.7976931348623157e308", "1.7976931348623159e308", "-1.7976931348623159e308", "1e308", "1e309", "1e400", "-1e400", "1e-400", "-1e-400", "5e-324",
	"2.4703282292062327e-324", "1e99999999999999999999", "1e-99999999999999999999", "-1e2147483648", "1e-2147483649", "0.1", "0.30000000000000004",
	"0.1000000000000000055511151231257827021181583404541015625", "123456789012345678901234567890", "1"+strings.Repeat("0", 400), "0."+strings.Repeat("0", 400)+"1",
)

// aroundBounds spells the bounds of every integer format and their neighbours.
func aroundBounds() []string {
	var texts []string
	for _, format := range []string{"uint16", "int32", "uint32", "int64", "uint64"} {
		for _, bound := range integerFormats[format] {
			if bound == "0" {
				continue
			}
			for off := int64(-1); off <= 1; off++ {
				x, _ := new(big.Int).SetString(bound, 10)
				t := x.Add(x, big.NewInt(off)).String()
				texts = append(texts, t, t+".0", t+"0e-1", t+"e0")
				digits, minus := strings.TrimPrefix(t, "-"), ""
				if digits != t {
					minus = "-"
				}
				texts = append(texts, minus+digits[:1]+"."+digits[1:]+"e"+big.NewInt(int64(len(digits)-1)).String(), t+".5")
			}
		}
	}
	return texts
}

// plainTexts are string literals that are valid everywhere.
var plainTexts = []string{
	`"a"`, `"hello"`, `""`, `"x/y~z"`, `"/srv/a.txt"`, `"é"`, `"日本語"`, `"😀"`, `"\u00e9\n\t\"\\\/"`, `"\ud83d\ude00"`, `"_own"`, `"agent"`, `"http"`, `"null"`, `"1"`,
	`"\u0000"`, `"\u2028"`, `" "`, `"The quick brown fox jumps over the lazy dog"`,
}

// edgeTexts are literals in the place of a string, most of them wrong in some way.
var edgeTexts = []string{
	`""`, `"\u0000"`, "\"\x00\"", "\"\x1f\"", "\"\x7f\"", "\"\n\"", "\"\t\"", "\"\u2028\"", "\"\ufeff\"", "\"\ufffd\"", "\"\U0010ffff\"", `"\uffff"`,
	`"\ud800"`, `"\udc00"`, `"\ud800\ud800"`, `"\udc00\ud800"`, `"a\ud83dz"`, `"\ud83d\u0041"`, `"\uD83D\uDE00"`, `"\ud83d"` + "\xf0\x9f\x98\x80",
	"\"\xff\"", "\"a\x80\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xe2\x82\"", "\"\xf0\x9f\x98\"", `"é"`,
	`"\x41"`, `"\u12"`, `"\u00zz"`, `"\'"`, `"\`, `"a`, `'a'`, `a`, `"\/\b\f\n\r\t\"\\"`, `"\u002f"`, `"e\u0301"`, `" "`, `"\u200b"`,
}

// unknownNames are names that no definition has, as literals.
var unknownNames = []string{
	`"_own"`, `"x"`, `""`, `"a/b~c"`, `"\u0000"`, `"é"`, `"__proto__"`, `"Type"`, `"type "`, `"models"`, `"timestamp"`, `"$ref"`, `"0"`, `"-"`, `"a\"b"`, `"😀"`, `"%41"`,
}

// spaces are white space, valid and not.
var spaces = []string{" ", "\n", "\t", "\r\n", "  \n\t ", "\u00a0", "\ufeff", "\v", "\f", "\x00", "\u2028", "/**/", "//\n"}

// validSpaces is how many of spaces JSON allows.
const validSpaces = 5
