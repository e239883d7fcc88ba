import { constants, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { fillWorkflowTask } from "#core/actions/workflow/fill-workflow-task";
import { jobWorkflowTask } from "#core/actions/workflow/job-workflow-task";
import { nextTimesTask, readWorkflowTask } from "#core/actions/workflow/read-task";
import { serveTasks } from "#core/compute/serve-tasks";
import { countLinesTask, writeBinaryTask, writeHunksTask } from "#core/git/diff/file-tasks";
import { mailHeadTask } from "#core/git/diff/mail/mail-head-task";
import { applyPatchTask, parsePatchTask } from "#core/git/diff/read-patch/patch-tasks";
import { fingerprintTask, similaritiesTask } from "#core/git/diff/renames/rename-tasks";
import { verifySshTask } from "#core/git/format/ssh-signature-task";
import { ingestTask } from "#core/git/ingest/ingest-task";
import { mergeTextTask } from "#core/git/merge/merge-text-task";
import { makePackTask } from "#core/git/pack/make-pack-task";
import { readGpgKeyTask, verifyGpgTask } from "#core/gpg-key/signature-tasks";
import { readConfigTask, readTemplateTask } from "#core/issue-template/read-tasks";
import { renderTask } from "#core/markdown/render-task";
import { expressionProblemTask } from "#core/pattern/expression-task";
import { changedLinesTask, hunksUpToTask, linesBeforeTask } from "#core/review/code/review-tasks";
import { ownersOfTask } from "#core/review/code-owners/code-owners-task";
import { identifyLicenseTask } from "#core/template/identify-license-task";
import { parseJsonTask } from "../http/body/parse-json-task.ts";
import { readFormTask } from "../http/body/read-form-task.ts";
import { decodeMessageTask } from "../runners/decode-task.ts";

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
    identifyLicenseTask,
    readConfigTask,
    parseJsonTask,
    readFormTask,
    mailHeadTask,
    hunksUpToTask,
    linesBeforeTask,
    changedLinesTask,
    ownersOfTask,
    expressionProblemTask,
    readWorkflowTask,
    nextTimesTask,
    jobWorkflowTask,
    fillWorkflowTask,
    decodeMessageTask,
  ]);
}
