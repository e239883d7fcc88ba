module coldforge.test/logins

go 1.26.8

require (
	code.gitea.io/sdk/gitea v0.25.1
	github.com/coreos/go-oidc/v3 v3.21.0
	github.com/markbates/goth v1.82.0
	golang.org/x/oauth2 v0.38.0
)

require (
	github.com/42wim/httpsig v1.2.4 // indirect
	github.com/davidmz/go-pageant v1.0.2 // indirect
	github.com/go-fed/httpsig v1.1.0 // indirect
	github.com/go-jose/go-jose/v4 v4.1.4 // indirect
	github.com/hashicorp/go-version v1.9.0 // indirect
	golang.org/x/crypto v0.50.0 // indirect
	golang.org/x/sys v0.43.0 // indirect
)
