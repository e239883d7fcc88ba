import { describeArchives } from "./archive-suite.ts";

describeArchives("sha1", 150);
describeArchives("sha256", 60);
