// A runner of Actions that knows the service by the published protocol alone: its messages and its client are those of
// the family's own module, and what executes the jobs is act, on this machine, without containers.
package main

import (
	"context"
	"flag"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	runnerv1 "code.gitea.io/actions-proto-go/runner/v1"
	"code.gitea.io/actions-proto-go/runner/v1/runnerv1connect"
	"connectrpc.com/connect"
	"github.com/sirupsen/logrus"
)

type client = runnerv1connect.RunnerServiceClient

// pollEvery is how long a runner without a job waits before it asks again.
const pollEvery = 500 * time.Millisecond

func main() {
	address := flag.String("url", "", "address of the service")
	token := flag.String("token", "", "registration token")
	label := flag.String("label", "host", "the one label of this runner")
	folder := flag.String("folder", "", "where jobs work")
	isJSON := flag.Bool("json", false, "speak JSON, not protobuf")
	flag.Parse()
	logrus.SetLevel(logrus.WarnLevel)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	options := []connect.ClientOption{}
	if *isJSON {
		options = append(options, connect.WithProtoJSON())
	}
	serve := &service{url: *address, label: *label, folder: *folder, options: options}
	if err := serve.run(ctx, *token); err != nil && ctx.Err() == nil {
		log.Fatal(err)
	}
}

type service struct {
	url, label, folder string
	options            []connect.ClientOption
}

func (s *service) client(more ...connect.ClientOption) client {
	return runnerv1connect.NewRunnerServiceClient(http.DefaultClient, s.url+"/api/actions", append(more, s.options...)...)
}

// run registers, and executes one job after the other until it is told to stop.
func (s *service) run(ctx context.Context, token string) error {
	labels := []string{s.label}
	made, err := s.client().Register(ctx, connect.NewRequest(&runnerv1.RegisterRequest{
		Name: s.label, Token: token, Labels: labels, Version: "0",
	}))
	if err != nil {
		return err
	}
	known := s.client(connect.WithInterceptors(showing(made.Msg.Runner)))
	if _, err := known.Declare(ctx, connect.NewRequest(&runnerv1.DeclareRequest{Version: "1", Labels: labels})); err != nil {
		return err
	}
	log.Printf("registered as %s", made.Msg.Runner.Uuid)
	version := int64(0)
	for ctx.Err() == nil {
		answer, err := known.FetchTask(ctx, connect.NewRequest(&runnerv1.FetchTaskRequest{TasksVersion: version}))
		if err != nil {
			return err
		}
		version = answer.Msg.TasksVersion
		if task := answer.Msg.Task; task != nil {
			if err := s.work(ctx, known, task); err != nil {
				log.Printf("task %d: %v", task.Id, err)
			}
			version = 0
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(pollEvery):
		}
	}
	return nil
}

// showing adds a runner's credentials to each call.
func showing(runner *runnerv1.Runner) connect.UnaryInterceptorFunc {
	return func(next connect.UnaryFunc) connect.UnaryFunc {
		return func(ctx context.Context, request connect.AnyRequest) (connect.AnyResponse, error) {
			request.Header().Set("x-runner-uuid", runner.Uuid)
			request.Header().Set("x-runner-token", runner.Token)
			return next(ctx, request)
		}
	}
}
