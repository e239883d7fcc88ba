// What every test file does, whatever it imports (`setupFiles`).
import { afterAll } from "vitest";
import { finishFile } from "./file-end.ts";

afterAll(finishFile);
