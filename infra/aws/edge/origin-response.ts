import { restoreChallengeModule } from "./restore-challenge.ts";

/** Lambda@Edge functions live in us-east-1, whatever the region of the rest; they take no environment and no arm64. */
const region = new aws.Provider("EdgeRegion", { region: "us-east-1" });

const role = new aws.iam.Role("RestoreChallengeRole", {
  assumeRolePolicy: JSON.stringify({
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Allow",
        Action: "sts:AssumeRole",
        Principal: { Service: ["lambda.amazonaws.com", "edgelambda.amazonaws.com"] },
      },
    ],
  }),
  managedPolicyArns: ["arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"],
});

/** Puts the renamed WWW-Authenticate header back on the way out. */
export const originResponse = new aws.lambda.Function(
  "RestoreChallenge",
  {
    description: "Restores WWW-Authenticate, which function URLs rename",
    runtime: "nodejs24.x",
    handler: "index.handler",
    role: role.arn,
    publish: true,
    timeout: 5,
    memorySize: 128,
    code: new $util.asset.AssetArchive({
      "index.mjs": new $util.asset.StringAsset(restoreChallengeModule),
    }),
  },
  { provider: region },
);
