import { expect, it } from "vitest";
import { readConfig } from "#core/config";
import { openApiDocument } from "#functions/openapi/openapi";
import { swaggerDocument } from "#functions/openapi/swagger";
import { endpoints } from "#tests/support/endpoints";
import { validateElsewhere } from "./validate-elsewhere.ts";

const config = readConfig({});
const document = await openApiDocument(endpoints, config);

it.each([
  ["OpenAPI 3.1", document],
  ["Swagger 2", swaggerDocument(document, config)],
])("the %s document is valid for two other validators (D-DOCUMENT)", async (_name, made) => {
  await expect(validateElsewhere({ ...made })).resolves.toBeUndefined();
});
