/** The product's own version: that of package.json, as a test checks. */
export const productVersion = "0.1.0";
