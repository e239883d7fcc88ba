import { describeBundles } from "./bundle-suite.ts";

describeBundles(["sha1"]);
