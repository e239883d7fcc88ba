package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sort"
	"strings"

	runnerv1 "code.gitea.io/actions-proto-go/runner/v1"
	"github.com/nektos/act/pkg/common"
	"github.com/nektos/act/pkg/model"
	"github.com/nektos/act/pkg/runner"
)

// work executes a job and tells how it goes; a job that is cancelled meanwhile is stopped.
func (s *service) work(ctx context.Context, known client, task *runnerv1.Task) error {
	folder, err := os.MkdirTemp(s.folder, "job-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	report := newReport(known, task.Id, cancel)
	done := make(chan struct{})
	go report.keepTelling(done)
	job, result := s.execute(ctx, report, task, folder)
	close(done)
	outputs := map[string]string{}
	if job != nil {
		outputs = job.Outputs
	}
	return report.end(result, outputs)
}

func (s *service) execute(ctx context.Context, report *report, task *runnerv1.Task, folder string) (*model.Job, runnerv1.Result) {
	job, err := s.perform(common.WithDryrun(ctx, false), report, task, folder)
	if err != nil {
		report.say(err.Error())
	}
	switch {
	case ctx.Err() != nil:
		return job, runnerv1.Result_RESULT_CANCELLED
	case err != nil || job.Result != "success":
		return job, runnerv1.Result_RESULT_FAILURE
	default:
		return job, runnerv1.Result_RESULT_SUCCESS
	}
}

func (s *service) perform(ctx context.Context, report *report, task *runnerv1.Task, folder string) (*model.Job, error) {
	workflow, err := model.ReadWorkflow(bytes.NewReader(task.WorkflowPayload), false)
	if err != nil {
		return nil, err
	}
	ids := workflow.GetJobIDs()
	if len(ids) != 1 {
		return nil, fmt.Errorf("the payload has %d jobs", len(ids))
	}
	job := workflow.GetJob(ids[0])
	report.begin(job.Steps)
	if err := addNeeds(workflow, job, task.Needs); err != nil {
		return job, err
	}
	config, err := s.config(task, folder)
	if err != nil {
		return job, err
	}
	act, err := runner.New(config)
	if err != nil {
		return job, err
	}
	run := &model.Run{Workflow: workflow, JobID: ids[0]}
	plan := &model.Plan{Stages: []*model.Stage{{Runs: []*model.Run{run}}}}
	return job, act.NewPlanExecutor(plan)(runner.WithJobLoggerFactory(ctx, report))
}

// addNeeds puts the jobs that this one waited for back into the workflow, as they ended.
func addNeeds(workflow *model.Workflow, job *model.Job, needs map[string]*runnerv1.TaskNeed) error {
	ids := []string{}
	for id, need := range needs {
		result := strings.ToLower(strings.TrimPrefix(need.Result.String(), "RESULT_"))
		workflow.Jobs[id] = &model.Job{Outputs: need.Outputs, Result: result}
		ids = append(ids, id)
	}
	sort.Strings(ids)
	return job.RawNeeds.Encode(ids)
}

func (s *service) config(task *runnerv1.Task, folder string) (*runner.Config, error) {
	given := task.Context.AsMap()
	text := func(name string) string {
		found, _ := given[name].(string)
		return found
	}
	event, err := json.Marshal(given["event"])
	if err != nil {
		return nil, err
	}
	eventPath := filepath.Join(folder, "event.json")
	workspace := filepath.Join(folder, "workspace")
	if err := os.Mkdir(workspace, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(eventPath, event, 0o600); err != nil {
		return nil, err
	}
	server, err := url.Parse(s.url)
	if err != nil {
		return nil, err
	}
	env := map[string]string{
		"ACTIONS_RUNTIME_TOKEN": text("gitea_runtime_token"),
		"ACTIONS_RESULTS_URL":   s.url,
		"SHA_REF":               text("sha"),
		"GITEA_ACTIONS":         "true",
	}
	for _, name := range []string{"run_id", "run_number", "run_attempt", "repository", "repository_owner", "ref", "ref_name", "ref_type", "base_ref", "head_ref"} {
		env["GITHUB_"+strings.ToUpper(name)] = text(name)
	}
	return &runner.Config{
		Actor:          text("actor"),
		Workdir:        workspace,
		ActionCacheDir: filepath.Join(folder, "cache"),
		EventName:      text("event_name"),
		EventPath:      eventPath,
		LogOutput:      true,
		Env:            env,
		Secrets:        task.Secrets,
		Vars:           task.Vars,
		Token:          text("token"),
		Platforms:      map[string]string{s.label: "-self-hosted"},
		GitHubInstance: server.Host,
		AutoRemove:     true,
		ConcurrentJobs: 1,
	}, nil
}
