import type { ActionsPlace } from "#core/actions/place";
import type { Forge } from "#core/forge";
import type { CallingRunner } from "#core/runner/authentication";
import { fetchTask, waitCounterOf } from "#core/runner/fetch-task";
import { declareRunner, registerRunnerByToken } from "#core/runner/runner";
import type { Runner } from "#core/runner/runner.table";
import { runnerStatus } from "#core/runner/status";
import { updateLog } from "#core/runner/update-log";
import { updateTask } from "#core/runner/update-task";
import type { TableKey } from "#core/table/write";
import { ConnectError } from "./connect-error.ts";
import type { MessageName } from "./descriptors.ts";
import type {
  DeclareRequest,
  FetchTaskRequest,
  PingRequest,
  RegisterRequest,
  UpdateLogRequest,
  UpdateTaskRequest,
} from "./messages.ts";
import { logReport, taskReport } from "./reports.ts";
import { resultOf, taskMessage } from "./task-message.ts";

/** One method: what it takes and answers, by the messages' names, and whether a runner has to show who it is. */
export type Method = OpenMethod | RunnerMethod;

interface Messages {
  readonly takes: MessageName;
  readonly answers: MessageName;
  /** The request brings what a job made: it may be long. */
  readonly isLong?: true;
}
interface OpenMethod extends Messages {
  readonly by: "anybody";
  readonly handle: (forge: Forge, message: never) => Promise<object>;
}
/** A method for runners that have registered. */
export interface RunnerMethod extends Messages {
  readonly by: "runner";
  /** It tells of a job: the runner counts as active for a while. */
  readonly isActive?: true;
  /** The keys that are read with the runner. */
  readonly readsAlong?: (place: ActionsPlace) => readonly TableKey[];
  readonly handle: (forge: Forge, caller: CallingRunner, message: never) => Promise<object>;
}

const statusNumbers = { idle: 1, active: 2, offline: 3 };

/** A runner as the protocol shows it, without its token. */
const shownRunner = ({ clock }: Forge, runner: Runner) => ({
  id: BigInt(runner.id),
  ...{ uuid: runner.uuid, name: runner.name, version: runner.version, labels: [...runner.labels] },
  ...{ ephemeral: runner.isEphemeral, status: statusNumbers[runnerStatus(clock, runner)] },
});

async function register(forge: Forge, given: RegisterRequest): Promise<object> {
  const { name, token: registrationToken, version } = given;
  if (name.trim() === "" || registrationToken === "") {
    throw new ConnectError("invalid_argument", "a runner registers with a name and a registration token");
  }
  const labels = given.labels.length > 0 ? given.labels : [...given.agentLabels, ...given.customLabels];
  const declared = { name, version, labels, isEphemeral: given.ephemeral };
  const made = await registerRunnerByToken(forge, registrationToken, declared);
  if (made === undefined) {
    throw new ConnectError(
      "invalid_argument",
      "this registration token is not valid: ask for the present one",
    );
  }
  return { runner: { ...shownRunner(forge, made.runner), token: made.token } };
}

/** The methods of the protocol by their paths below `/api/actions` (semantics §60.3). */
export const methods: Readonly<Record<string, Method>> = {
  "/ping.v1.PingService/Ping": {
    ...{ takes: "PingRequest", answers: "PingResponse", by: "anybody" },
    handle: async (_forge: Forge, { data }: PingRequest) => ({ data: `Hello, ${data}!` }),
  },
  "/runner.v1.RunnerService/Register": {
    ...{ takes: "RegisterRequest", answers: "RegisterResponse", by: "anybody" },
    handle: register,
  },
  "/runner.v1.RunnerService/Declare": {
    ...{ takes: "DeclareRequest", answers: "DeclareResponse", by: "runner" },
    handle: async (forge, { runner }, given: DeclareRequest) => ({
      runner: shownRunner(forge, await declareRunner(forge, runner, given)),
    }),
  },
  "/runner.v1.RunnerService/FetchTask": {
    ...{ takes: "FetchTaskRequest", answers: "FetchTaskResponse", by: "runner", readsAlong: waitCounterOf },
    handle: async (forge, caller, { tasksVersion }: FetchTaskRequest) => {
      const { version, task } = await fetchTask(forge, caller, Number(tasksVersion));
      return { tasksVersion: BigInt(version), ...(task && { task: await taskMessage(forge, task) }) };
    },
  },
  "/runner.v1.RunnerService/UpdateTask": {
    ...{ takes: "UpdateTaskRequest", answers: "UpdateTaskResponse", by: "runner" },
    ...{ isActive: true, isLong: true },
    handle: async (forge, { runner }, given: UpdateTaskRequest) => {
      const report = taskReport(given);
      const { state, outputNames } = await updateTask(forge, runner, report);
      return { state: { id: BigInt(report.taskId), result: resultOf(state) }, sentOutputs: [...outputNames] };
    },
  },
  "/runner.v1.RunnerService/UpdateLog": {
    ...{ takes: "UpdateLogRequest", answers: "UpdateLogResponse", by: "runner" },
    ...{ isActive: true, isLong: true },
    handle: async (forge, { runner }, given: UpdateLogRequest) => {
      const lines = await updateLog(forge, runner, logReport(given));
      if (lines === undefined) throw new ConnectError("already_exists", "the log is closed");
      return { ackIndex: BigInt(lines) };
    },
  },
};
