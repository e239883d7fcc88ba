import { describeArchives } from "./archive-suite.ts";

describeArchives("sha1", 12);
describeArchives("sha256", 6);
