package main

import (
	"context"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	runnerv1 "code.gitea.io/actions-proto-go/runner/v1"
	"connectrpc.com/connect"
	"github.com/nektos/act/pkg/model"
	"github.com/sirupsen/logrus"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// tellEvery is how often a runner with a job tells of it.
const tellEvery = 300 * time.Millisecond

// report is what is to be told of a job: act writes its log through it, line by line, with secrets masked already.
type report struct {
	mutex  sync.Mutex
	client client
	// places are those of the steps in the file, by the ids that act gives them.
	places map[string]int
	cancel context.CancelFunc
	state  *runnerv1.TaskState
	rows   []*runnerv1.LogRow
	// told is how many rows the service has.
	told int
}

func newReport(known client, taskID int64, cancel context.CancelFunc) *report {
	state := &runnerv1.TaskState{Id: taskID, StartedAt: timestamppb.Now()}
	return &report{client: known, cancel: cancel, state: state}
}

func (r *report) begin(steps []*model.Step) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.places = map[string]int{}
	for place, step := range steps {
		id := step.ID
		if id == "" {
			id = strconv.Itoa(place)
		}
		r.places[id] = place
		r.state.Steps = append(r.state.Steps, &runnerv1.StepState{Id: int64(place)})
	}
}

func (r *report) say(line string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.add(line, time.Now())
}

func (r *report) add(text string, at time.Time) {
	for _, line := range strings.Split(strings.TrimRight(text, "\r\n"), "\n") {
		r.rows = append(r.rows, &runnerv1.LogRow{Time: timestamppb.New(at), Content: line})
	}
}

// WithJobLogger gives act the logger of a job.
func (r *report) WithJobLogger() *logrus.Logger {
	logger := logrus.New()
	logger.SetOutput(io.Discard)
	logger.SetFormatter(r)
	return logger
}

// Format takes an entry of act's log: a line that a step wrote, or that a step begins or ends.
func (r *report) Format(entry *logrus.Entry) ([]byte, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	before := int64(len(r.rows))
	r.add(entry.Message, entry.Time)
	if step := r.stepOf(entry); step != nil {
		if step.StartedAt == nil {
			step.StartedAt, step.LogIndex = timestamppb.New(entry.Time), before
		}
		step.LogLength = int64(len(r.rows)) - step.LogIndex
		if result, ok := results[entry.Data["stepResult"]]; ok {
			step.Result, step.StoppedAt = result, timestamppb.New(entry.Time)
		}
	}
	return nil, nil
}

var results = map[any]runnerv1.Result{
	model.StepStatusSuccess: runnerv1.Result_RESULT_SUCCESS,
	model.StepStatusFailure: runnerv1.Result_RESULT_FAILURE,
	model.StepStatusSkipped: runnerv1.Result_RESULT_SKIPPED,
}

// stepOf is the step of the file that an entry belongs to, by its place.
func (r *report) stepOf(entry *logrus.Entry) *runnerv1.StepState {
	ids, _ := entry.Data["stepID"].([]string)
	if entry.Data["stage"] != "Main" || len(ids) == 0 {
		return nil
	}
	place, ok := r.places[ids[0]]
	if !ok {
		return nil
	}
	return r.state.Steps[place]
}

func (r *report) keepTelling(done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-time.After(tellEvery):
			_ = r.tell(nil, false)
		}
	}
}

// tell sends new rows and the state; a job that has ended at the service is stopped here.
func (r *report) tell(outputs map[string]string, isLast bool) error {
	r.mutex.Lock()
	rows, state, index := r.rows[r.told:], proto.Clone(r.state).(*runnerv1.TaskState), r.told
	r.mutex.Unlock()
	if len(rows) > 0 || isLast {
		answer, err := r.client.UpdateLog(context.Background(), connect.NewRequest(&runnerv1.UpdateLogRequest{
			TaskId: state.Id, Index: int64(index), Rows: rows, NoMore: isLast,
		}))
		if err != nil {
			return err
		}
		r.mutex.Lock()
		r.told = int(answer.Msg.AckIndex)
		r.mutex.Unlock()
	}
	answer, err := r.client.UpdateTask(context.Background(), connect.NewRequest(&runnerv1.UpdateTaskRequest{
		State: state, Outputs: outputs,
	}))
	if err == nil && answer.Msg.State.GetResult() != runnerv1.Result_RESULT_UNSPECIFIED {
		r.cancel()
	}
	return err
}

func (r *report) end(result runnerv1.Result, outputs map[string]string) error {
	r.mutex.Lock()
	r.state.Result, r.state.StoppedAt = result, timestamppb.Now()
	r.mutex.Unlock()
	return r.tell(outputs, true)
}
