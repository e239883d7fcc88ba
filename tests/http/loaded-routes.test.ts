import { expect, it } from "vitest";
import { type EndpointGroup, loadAll } from "#functions/http/loaded-routes";

it("loading all groups for a document lets others run between them", async () => {
  const events: string[] = [];
  const group = (name: string): EndpointGroup => ({
    paths: [],
    load: async () => {
      const since = performance.now();
      while (performance.now() - since < 10); // modules are evaluated
      events.push(name);
      return [];
    },
  });
  setImmediate(() => events.push("a request"));
  await loadAll([group("issues"), group("pulls")]);
  expect(events).toEqual(["issues", "a request", "pulls"]);
});
