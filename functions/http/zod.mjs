// zod with what @hono/zod-openapi adds to it for the documents. Whoever declares a schema imports it as `#zod`. A bundle
// that is split keeps no order among modules; an import of this value it has to keep.
import { extendZodWithOpenApi, z as zod } from "@hono/zod-openapi";

extendZodWithOpenApi(zod);
export const z = zod;
