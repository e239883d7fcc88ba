import { describe, expect, it } from "vitest";
import { endpointGroups } from "#functions/api/endpoints";
import { createLoadedRoutes } from "#functions/http/loaded-routes";

const routes = createLoadedRoutes(endpointGroups);
const groups = await Promise.all(
  endpointGroups.map(async ({ paths, load }) => ({ paths, endpoints: await load() })),
);

/** The value of each parameter is a text that no fixed part of a path is; numbers fit all of them. */
const sampleOf = (path: string) =>
  path
    .replace(/\/$/, "")
    .replace("{diffType}", "diff")
    .replace(/\{\w+\}/g, "7");

/** Without the names of its parameters. */
const shapeOf = (path: string) => path.replace(/\/$/, "").replace(/\{\w+\}/g, "{}");

describe("the groups of operations", () => {
  it("know each path of theirs: a request finds the operation that declares it", async () => {
    const declared = groups.flatMap(({ endpoints }) => endpoints);
    const lost: string[] = [];
    for (const { id, method, path } of declared) {
      const found = await routes.match(method.toUpperCase(), sampleOf(path));
      if (found.kind !== "endpoint" || found.endpoint.id !== id) lost.push(`${id}: ${method} ${path}`);
    }
    expect(lost, "functions/api/endpoints.ts: their groups' paths don't hold them").toEqual([]);
    expect(new Set(declared.map(({ id }) => id)).size).toBe(declared.length);
  });

  it("name no path below which they have no operation", () => {
    const idle = groups.flatMap(({ paths, endpoints }) =>
      paths.filter((named) => {
        const [beginning = "", below] = shapeOf(named).split("/*");
        return !endpoints.some(({ path }) => {
          const asked = shapeOf(path);
          return asked === beginning || (below !== undefined && asked.startsWith(`${beginning}/`));
        });
      }),
    );
    expect(idle).toEqual([]);
  });

  it("say nothing in a way that one operation alone has: mechanism for one belongs to its handler", () => {
    const users = new Map<string, Set<string>>();
    for (const { endpoints } of groups) {
      for (const one of endpoints) {
        for (const member of Object.keys(one))
          users.set(member, (users.get(member) ?? new Set()).add(one.id));
      }
    }
    expect(users.size).toBeGreaterThan(20);
    expect([...users].filter(([, ids]) => ids.size === 1)).toEqual([]);
  });
});
