import { parentPort } from "node:worker_threads";
import { serveTasks } from "#core/compute/serve-tasks";
import { bytesTask, dieTask, eatTask, failTask, holdTask, quickTask, spinTask } from "./tasks.ts";

if (parentPort !== null)
  serveTasks(parentPort, [bytesTask, dieTask, eatTask, failTask, holdTask, quickTask, spinTask]);
