package main

import (
	"context"

	"github.com/markbates/goth"
	"github.com/markbates/goth/providers/gitea"
	"github.com/markbates/goth/providers/openidConnect"
)

func byGothGitea(_ context.Context, at forge) error {
	endpoint := endpointOf(at)
	return byGoth(at, gitea.NewCustomisedURL(
		at.clientID, at.secret, at.redirect, endpoint.AuthURL, endpoint.TokenURL, at.url+"/api/v1/user",
	))
}

func byGothOpenID(_ context.Context, at forge) error {
	provider, err := openidConnect.New(
		at.clientID, at.secret, at.redirect, at.url+"/.well-known/openid-configuration", "profile", "email",
	)
	if err != nil {
		return err
	}
	return byGoth(at, provider)
}

func byGoth(at forge, provider goth.Provider) error {
	session, err := provider.BeginAuth("s4")
	if err != nil {
		return err
	}
	page, err := session.GetAuthURL()
	if err != nil {
		return err
	}
	values, err := broughtBack(page, at.redirect, "s4")
	if err != nil {
		return err
	}
	if _, err := session.Authorize(provider, values); err != nil {
		return err
	}
	user, err := provider.FetchUser(session)
	if err != nil {
		return err
	}
	return must(user.NickName == "alice" && user.Email == "alice@example.com", "user: %+v", user)
}
