import { constants, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { serveTasks } from "#core/compute/serve-tasks";
import { countLinesTask, writeBinaryTask, writeHunksTask } from "#core/git/diff/file-tasks";
import { fingerprintTask, similaritiesTask } from "#core/git/diff/rename-tasks";
import { ingestTask } from "#core/git/ingest/ingest-task";
import { makePackTask } from "#core/git/make-pack-task";
import { mergeTextTask } from "#core/git/merge/merge-text-task";
import { verifySshTask } from "#core/git/object/ssh-signature-task";
import { applyPatchTask, parsePatchTask } from "#core/git/patch/patch-tasks";
import { readGpgKeyTask, verifyGpgTask } from "#core/gpg-key/signature-tasks";
import { readConfigTask, readTemplateTask } from "#core/issue-template/read-tasks";
import { renderTask } from "#core/markdown/render-task";
import { parseJsonTask } from "../http/body/parse-json-task.ts";

// The script of a computing thread. It gives way to the thread that serves requests.
if (parentPort !== null) {
  setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
  serveTasks(parentPort, [
    ingestTask,
    countLinesTask,
    writeHunksTask,
    writeBinaryTask,
    fingerprintTask,
    similaritiesTask,
    makePackTask,
    mergeTextTask,
    parsePatchTask,
    applyPatchTask,
    verifySshTask,
    verifyGpgTask,
    readGpgKeyTask,
    renderTask,
    readTemplateTask,
    readConfigTask,
    parseJsonTask,
  ]);
}
