import type { Reporter, TestModule } from "vitest/node";

const shown = 10;

/** Prints the files that took longest, with what their imports, hooks and tests took together, in seconds. */
export default class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= shown) return;
    const files = modules.map((one) => ({ name: one.relativeModuleId, seconds: secondsOf(one) }));
    const slowest = files.toSorted((one, other) => other.seconds - one.seconds).slice(0, shown);
    const lines = slowest.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${name}`);
    console.log(["", "Slowest files:", ...lines, ""].join("\n"));
  }
}

function secondsOf(module: TestModule): number {
  const { collectDuration, duration, setupDuration } = module.diagnostic();
  return (collectDuration + duration + setupDuration) / 1000;
}
