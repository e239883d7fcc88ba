package main

import (
	"context"

	"code.gitea.io/sdk/gitea"
	"golang.org/x/oauth2"
)

func endpointOf(at forge) oauth2.Endpoint {
	return oauth2.Endpoint{
		AuthURL:  at.url + "/login/oauth/authorize",
		TokenURL: at.url + "/login/oauth/access_token",
	}
}

func asWoodpecker(ctx context.Context, at forge) error {
	config := oauth2.Config{
		ClientID: at.clientID, ClientSecret: at.secret, RedirectURL: at.redirect, Endpoint: endpointOf(at),
	}
	values, err := broughtBack(config.AuthCodeURL("s2"), at.redirect, "s2")
	if err != nil {
		return err
	}
	token, err := config.Exchange(ctx, values.Get("code"))
	if err != nil {
		return err
	}
	token, err = config.TokenSource(ctx, expired(token)).Token()
	if err != nil {
		return err
	}
	client, err := gitea.NewClient(at.url, gitea.SetToken(token.AccessToken))
	if err != nil {
		return err
	}
	if err := findRepository(client); err != nil {
		return err
	}
	return activate(client)
}

// findRepository looks at what the program shows its user: themselves, their teams, repositories, files, requests.
func findRepository(client *gitea.Client) error {
	me, _, err := client.GetMyUserInfo()
	if err != nil || me.UserName != "alice" {
		return must(false, "user: %+v %v", me, err)
	}
	orgs, _, err := client.ListMyOrgs(gitea.ListOrgsOptions{})
	if err != nil || len(orgs) != 1 || orgs[0].UserName != "deployers" {
		return must(false, "organizations: %v %v", orgs, err)
	}
	rights, _, err := client.GetOrgPermissions("deployers", "alice")
	if err != nil || !rights.IsOwner {
		return must(false, "permissions: %+v %v", rights, err)
	}
	repositories, _, err := client.ListMyRepos(gitea.ListReposOptions{})
	if err != nil || len(repositories) != 1 || !repositories[0].Permissions.Admin || !repositories[0].Private {
		return must(false, "repositories: %v %v", repositories, err)
	}
	again, _, err := client.GetRepoByID(repositories[0].ID)
	if err != nil || again.FullName != "alice/tale" {
		return must(false, "by id: %+v %v", again, err)
	}
	file, _, err := client.GetFile("alice", "tale", "main", "a.md")
	if err != nil || string(file) != "one\n" {
		return must(false, "file: %q %v", file, err)
	}
	entries, _, err := client.ListContents("alice", "tale", "main", "")
	if err != nil || len(entries) != 1 {
		return must(false, "folder: %v %v", entries, err)
	}
	branches, _, err := client.ListRepoBranches("alice", "tale", gitea.ListRepoBranchesOptions{})
	if err != nil || len(branches) != 1 {
		return must(false, "branches: %v %v", branches, err)
	}
	pulls, _, err := client.ListRepoPullRequests("alice", "tale", gitea.ListPullRequestsOptions{State: gitea.StateOpen})
	return must(err == nil && len(pulls) == 0, "requests: %v %v", pulls, err)
}

// activate puts the program's hook at a repository, tells a commit's status, and takes the hook away.
func activate(client *gitea.Client) error {
	hook, _, err := client.CreateRepoHook("alice", "tale", gitea.CreateHookOption{
		Type:   gitea.HookTypeGitea,
		Config: map[string]string{"url": "http://127.0.0.1:1/hook", "secret": "s", "http_method": "post", "content_type": "json"},
		Events: []string{"push", "create", "pull_request", "release"},
		Active: true,
	})
	if err != nil {
		return err
	}
	branch, _, err := client.GetRepoBranch("alice", "tale", "main")
	if err != nil {
		return err
	}
	status, _, err := client.CreateStatus("alice", "tale", branch.Commit.ID, gitea.CreateStatusOption{
		State: gitea.StatusSuccess, TargetURL: "https://ci.example/1", Description: "done", Context: "ci/woodpecker",
	})
	if err != nil || status.State != gitea.StatusSuccess {
		return must(false, "status: %+v %v", status, err)
	}
	hooks, _, err := client.ListRepoHooks("alice", "tale", gitea.ListHooksOptions{})
	if err != nil || len(hooks) != 1 || hooks[0].ID != hook.ID || hooks[0].Config["url"] != "http://127.0.0.1:1/hook" {
		return must(false, "hooks: %v %v", hooks, err)
	}
	_, err = client.DeleteRepoHook("alice", "tale", hook.ID)
	return err
}

func asPublicClient(ctx context.Context, at forge) error {
	config := oauth2.Config{
		ClientID: at.publicID, RedirectURL: at.redirect, Endpoint: endpointOf(at), Scopes: []string{"read:user"},
	}
	verifier := oauth2.GenerateVerifier()
	values, err := broughtBack(config.AuthCodeURL("s3", oauth2.S256ChallengeOption(verifier)), at.redirect, "s3")
	if err != nil {
		return err
	}
	token, err := config.Exchange(ctx, values.Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		return err
	}
	token, err = config.TokenSource(ctx, expired(token)).Token()
	if err != nil {
		return err
	}
	client, err := gitea.NewClient(at.url, gitea.SetToken(token.AccessToken))
	if err != nil {
		return err
	}
	if me, _, err := client.GetMyUserInfo(); err != nil || me.UserName != "alice" {
		return must(false, "user: %+v %v", me, err)
	}
	_, _, err = client.CreateRepo(gitea.CreateRepoOption{Name: "more"})
	return must(err != nil, "a token of read:user makes a repository")
}
