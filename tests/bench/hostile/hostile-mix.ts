import { setTimeout } from "node:timers/promises";
import { call, hostileCases } from "../../support/hostile/hostile-cases.ts";
import { administrator, type ServerProcess, startServer } from "../../support/process/server-process.ts";
import type { BenchContext, Figures } from "../bench.ts";
import { usageOf } from "../process-usage.ts";
import { type InnocentRequest, waitAt, waitsBeside } from "./innocent-caller.ts";

const hostileCallers = 4;
const measuredMs = 60_000;
const pauseMs = 50;
const password = "correct-horse-9";

/** A user of the server, as whom requests are sent. */
export async function makeUser(server: ServerProcess, username: string): Promise<ServerProcess> {
  const body = { username, email: `${username}@example.com`, password, must_change_password: false };
  await call(server, "POST", "/admin/users", { body });
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  const made = await call(server, "POST", `/users/${username}/tokens`, {
    body: { name: "bench", scopes: ["all"] },
    as: "",
    headers: { authorization },
  });
  return { ...server, token: ((await made.json()) as { sha1: string }).sha1 };
}

/** What a harmless user does: reads themselves, a repository and its issues, and opens an issue. */
const innocentRequests = ({ url, token }: ServerProcess): InnocentRequest[] => {
  const headers = { authorization: `token ${token}`, "content-type": "application/json" };
  const repository = `${url}/api/v1/repos/${administrator.name}/hard-diff`;
  return [
    { method: "GET", url: `${url}/api/v1/user`, headers },
    { method: "GET", url: repository, headers },
    { method: "GET", url: `${repository}/issues`, headers },
    { method: "POST", url: `${repository}/issues`, headers, body: JSON.stringify({ title: "hello" }) },
  ];
};

/** How long an innocent caller waits while four accounts send the hardest requests without a pause. */
export async function hostileMixFigures({ project }: BenchContext): Promise<Figures> {
  const server = await startServer({
    project,
    environment: { RATE_LIGHT: "", RATE_HEAVY: "", RATE_GIT: "", RATE_PASSWORDS: "" },
  });
  try {
    for (const one of hostileCases) await one.prepare?.(server);
    const innocent = await makeUser(server, "innocent");
    const rows = [["load", "requests", "p50 ms", "p99 ms", "longest ms", "CPU s", "MB at most"]];
    const measure = async (load: string, hostile: readonly ServerProcess[]) => {
      const before = usageOf(server.pid);
      const end = performance.now() + measuredMs;
      const isOver = () => performance.now() >= end;
      const attack = async (caller: ServerProcess) => {
        while (!isOver()) for (const { send } of hostileCases) if (!isOver()) await send(caller);
      };
      const waits = await waitsBeside({ requests: innocentRequests(innocent), pauseMs }, () =>
        Promise.all([setTimeout(measuredMs), ...hostile.map(attack)]),
      );
      if (waits.refused > 0) throw new Error(`an innocent caller was refused ${waits.refused} times`);
      const { cpuSeconds, peakMemoryMb } = usageOf(server.pid);
      rows.push([
        ...[load, String(waits.times.length), waitAt(waits, 0.5), waitAt(waits, 0.99), waitAt(waits, 1)],
        ...[(cpuSeconds - before.cpuSeconds).toFixed(0), peakMemoryMb.toFixed(0)],
      ]);
    };
    await measure("nobody else", []);
    const callers = Array.from({ length: hostileCallers }, (_, at) => makeUser(server, `hostile-${at}`));
    await measure(`${hostileCallers} hostile accounts`, await Promise.all(callers));
    return { title: "An innocent caller beside hostile ones, usual rates", rows };
  } finally {
    await server.stop();
  }
}
