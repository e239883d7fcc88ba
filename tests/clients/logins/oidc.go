package main

import (
	"context"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func byDiscovery(ctx context.Context, at forge) error {
	provider, err := oidc.NewProvider(ctx, at.url)
	if err != nil {
		return err
	}
	config := oauth2.Config{
		ClientID: at.clientID, ClientSecret: at.secret, RedirectURL: at.redirect, Endpoint: provider.Endpoint(),
		Scopes: []string{oidc.ScopeOpenID, "profile", "email", "groups"},
	}
	verifier := oauth2.GenerateVerifier()
	page := config.AuthCodeURL("s1", oauth2.S256ChallengeOption(verifier), oidc.Nonce("n1"))
	values, err := broughtBack(page, at.redirect, "s1")
	if err != nil {
		return err
	}
	token, err := config.Exchange(ctx, values.Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		return err
	}
	if err := checkIDToken(ctx, provider, at, token); err != nil {
		return err
	}
	source := config.TokenSource(ctx, expired(token))
	info, err := provider.UserInfo(ctx, source)
	if err != nil {
		return err
	}
	if err := must(info.Email == "alice@example.com", "userinfo: %+v", info); err != nil {
		return err
	}
	fresh, err := source.Token()
	if err != nil {
		return err
	}
	return must(fresh.AccessToken != token.AccessToken && fresh.RefreshToken != token.RefreshToken, "not refreshed")
}

func checkIDToken(ctx context.Context, provider *oidc.Provider, at forge, token *oauth2.Token) error {
	raw, _ := token.Extra("id_token").(string)
	id, err := provider.Verifier(&oidc.Config{ClientID: at.clientID}).Verify(ctx, raw)
	if err != nil {
		return err
	}
	var claims struct {
		Name   string   `json:"preferred_username"`
		Groups []string `json:"groups"`
	}
	if err := id.Claims(&claims); err != nil {
		return err
	}
	if err := must(id.Nonce == "n1" && claims.Name == "alice", "id token: %+v %+v", id, claims); err != nil {
		return err
	}
	return must(slices.Contains(claims.Groups, "deployers:Owners"), "groups: %v", claims.Groups)
}

// expired is a token as a program finds it that slept past its end.
func expired(token *oauth2.Token) *oauth2.Token {
	old := *token
	old.Expiry = time.Now().Add(-time.Minute)
	return &old
}
