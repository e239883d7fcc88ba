import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBClient, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { defined } from "#core/defined";
import { createLog } from "#core/log";
import { type Dynamodb, ensureTable, startDynamodb } from "#infra/local/dynamodb";
import { endLeftover, findDynamodbProgram } from "#infra/local/dynamodb-process";
import { chooseLoopback } from "#infra/local/loopback-address";
import { commandLine, processIdentity } from "#infra/local/running-process";
import { startChild } from "#tests/support/process/bundled-child";

const log = createLog(() => undefined);
const credentials = { accessKeyId: "local", secretAccessKey: "local" };
const connect = (endpoint: string) => new DynamoDBClient({ endpoint, region: "us-east-1", credentials });
const Key = { pk: { S: "a" }, sk: { S: "b" } };

describe("startDynamodb", () => {
  let folder: string;
  let running: Dynamodb[];
  const start = async (onRestart?: () => void) => {
    const dynamodb = await startDynamodb({ folder, log, ...defined({ onRestart }) });
    running.push(dynamodb);
    return dynamodb;
  };
  const currentPid = async () => Number(await readFile(join(folder, "dynamodb.pid"), "utf8"));

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "coldforge-dynamodb-"));
    running = [];
  });
  afterEach(async () => {
    for (const dynamodb of running) await dynamodb.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("answers on a loopback address and keeps its data over a stop and a start", async () => {
    const first = await start();
    expect(new URL(first.endpoint).hostname).toMatch(/^127\./);
    await ensureTable(connect(first.endpoint), "forge");
    await connect(first.endpoint).send(new PutItemCommand({ TableName: "forge", Item: Key }));
    await first.stop();
    const second = await start();
    await ensureTable(connect(second.endpoint), "forge");
    const found = await connect(second.endpoint).send(new GetItemCommand({ TableName: "forge", Key }));
    expect(found.Item).toEqual(Key);
  });

  it("starts the program again on the same endpoint when it dies, with nothing acknowledged lost", async () => {
    const onRestart = vi.fn();
    const client = connect((await start(onRestart)).endpoint);
    await ensureTable(client, "forge");
    await client.send(new PutItemCommand({ TableName: "forge", Item: Key }));
    process.kill(await currentPid(), "SIGKILL");
    await expect.poll(() => onRestart).toHaveBeenCalledOnce();
    expect((await client.send(new GetItemCommand({ TableName: "forge", Key }))).Item).toEqual(Key);
  });

  it("takes another port where one that was free a moment ago is taken", async () => {
    const taken = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    await once(taken, "listening");
    const address = taken.address() as AddressInfo;
    const offered = [address.port, address.port];
    const dynamodb = await startDynamodb({
      folder,
      log,
      chooseAddress: async () => {
        const port = offered.pop();
        return port === undefined ? chooseLoopback() : { host: "127.0.0.1", port };
      },
    });
    running.push(dynamodb);
    taken.close();
    expect(offered).toEqual([]);
    await ensureTable(connect(dynamodb.endpoint), "forge");
  });

  it("stops with the program gone", async () => {
    const dynamodb = await start();
    const pid = await currentPid();
    await dynamodb.stop();
    expect(processIdentity(pid)).toBeUndefined();
  });

  it("ends the program when its parent is killed with kill -9, and the next start copes", async () => {
    const parent = await startChild(
      `import { startDynamodb } from "#infra/local/dynamodb";
      import { createLog } from "#core/log";
      await startDynamodb({ folder: process.argv[2], log: createLog(() => undefined) });
      console.log("started");`,
      [folder],
    );
    await parent.nextLine();
    const pid = await currentPid();
    expect(commandLine(pid)).toContain(folder);
    await parent.kill();
    const next = await start();
    expect(processIdentity(pid)).toBeUndefined();
    await ensureTable(connect(next.endpoint), "forge");
  });
});

describe("endLeftover", () => {
  it("leaves a process alone that got the recorded number but is another program", async () => {
    const folder = await mkdtemp(join(tmpdir(), "coldforge-leftover-"));
    const other = spawn("sleep", ["60"], { stdio: "ignore" });
    await writeFile(join(folder, "dynamodb.pid"), String(other.pid));
    await endLeftover(join(folder, "dynamodb.pid"), join(folder, "table.sqlite"));
    expect(processIdentity(other.pid ?? 0)).toBeDefined();
    other.kill();
    await rm(folder, { recursive: true });
  });
});

describe("findDynamodbProgram", () => {
  it("says what to install and what to set where the program is missing", () => {
    expect(() => findDynamodbProgram("plan9-mips")).toThrow(
      /npm i --no-save @dynoxide\/plan9-mips@1\.2\.1[\s\S]*AWS_ENDPOINT_URL_DYNAMODB/,
    );
  });
});
