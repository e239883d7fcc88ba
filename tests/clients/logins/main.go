// Logs in at a forge as programs of its users do, each with the library that it is made of:
// `logins <url> <client id> <secret> <public client id> <redirect address>`. A browser is opened by `xdg-open`.
// Ends with an error at the first step that doesn't hold.
package main

import (
	"context"
	"fmt"
	"os"
)

// forge is where to log in, and as which program.
type forge struct {
	url, clientID, secret, publicID, redirect string
}

var steps = []struct {
	title string
	play  func(context.Context, forge) error
}{
	{"go-oidc: discovery, PKCE, an id token with nonce and groups, userinfo, a refresh", byDiscovery},
	{"x/oauth2 without scopes and the Go SDK (Woodpecker): repositories, hooks, statuses, files, requests", asWoodpecker},
	{"x/oauth2 as a public client: PKCE without a secret, a narrow scope, a refresh", asPublicClient},
	{"goth, its gitea provider", byGothGitea},
	{"goth, its openidConnect provider", byGothOpenID},
}

func main() {
	if len(os.Args) != 6 {
		fmt.Fprintln(os.Stderr, "logins <url> <client id> <secret> <public client id> <redirect address>")
		os.Exit(2)
	}
	at := forge{os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5]}
	for _, step := range steps {
		if err := step.play(context.Background(), at); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", step.title, err)
			os.Exit(1)
		}
		fmt.Println("ok:", step.title)
	}
}

// must be given what has to hold, and what is told when it doesn't.
func must(holds bool, format string, values ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, values...)
}
