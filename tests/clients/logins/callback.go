package main

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"time"
)

// broughtBack opens a page for the user, and answers what their browser brings to the redirect address.
func broughtBack(page, redirect, state string) (url.Values, error) {
	address, err := url.Parse(redirect)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", address.Host)
	if err != nil {
		return nil, err
	}
	brought := make(chan url.Values, 1)
	server := http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, asked *http.Request) {
		brought <- asked.URL.Query()
	})}
	go server.Serve(listener)
	defer server.Close()
	if err := exec.Command("xdg-open", page).Run(); err != nil {
		return nil, fmt.Errorf("xdg-open: %w", err)
	}
	select {
	case values := <-brought:
		return values, must(values.Get("state") == state && values.Get("code") != "", "brought back %v", values)
	case <-time.After(time.Minute):
		return nil, fmt.Errorf("the browser never came back")
	}
}
