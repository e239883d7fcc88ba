/// <reference path="./.sst/platform/config.d.ts" />

/** The deployed shape: `npm run deploy -- --stage <name>`. What each part is stands in infra/aws, one file per concern. */
export default $config({
  app(input) {
    const isProduction = input.stage === "production";
    return {
      name: "coldforge",
      home: "aws",
      version: "4.17.1",
      removal: isProduction ? "retain" : "remove",
      protect: isProduction,
      providers: { aws: "7.20.0" },
    };
  },
  async run() {
    const { router } = await import("./infra/aws/router.ts");
    await import("./infra/aws/api.ts");
    await import("./infra/aws/git.ts");
    await import("./infra/aws/workers.ts");
    await import("./infra/aws/alarms.ts");
    const { table, objects } = await import("./infra/aws/storage.ts");
    return { url: router.url, table: table.name, bucket: objects.name };
  },
});
