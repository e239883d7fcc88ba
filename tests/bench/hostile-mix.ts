import { call, hostileCases } from "../support/hostile-cases.ts";
import { administrator, type ServerProcess, startServer } from "../support/server-process.ts";
import type { BenchContext, Figures } from "./bench.ts";
import { usageOf } from "./process-usage.ts";

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

/** The work of a harmless user: the times of their requests in milliseconds. */
async function workInnocently(server: ServerProcess, isOver: () => boolean): Promise<number[]> {
  const requests = [
    () => call(server, "GET", "/user"),
    () => call(server, "GET", `/repos/${administrator.name}/hard-diff`),
    () => call(server, "GET", `/repos/${administrator.name}/hard-diff/issues`),
    () => call(server, "POST", `/repos/${administrator.name}/hard-diff/issues`, { body: { title: "hello" } }),
  ];
  const times: number[] = [];
  while (!isOver()) {
    for (const request of requests) {
      const began = performance.now();
      const { ok, status } = await request();
      if (!ok) throw new Error(`an innocent caller got ${status}`);
      times.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  return times.sort((one, other) => one - other);
}

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
      const attacks = hostile.map(async (caller) => {
        while (!isOver()) for (const { send } of hostileCases) if (!isOver()) await send(caller);
      });
      const times = await workInnocently(innocent, isOver);
      await Promise.all(attacks);
      const { cpuSeconds, peakMemoryMb } = usageOf(server.pid);
      const at = (part: number) => (times[Math.floor((times.length - 1) * part)] ?? 0).toFixed(0);
      rows.push([
        ...[load, String(times.length), at(0.5), at(0.99), at(1)],
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
