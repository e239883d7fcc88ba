/** How the API page looks, in light and in dark, from 320 pixels on. */
export const style = `
:root{color-scheme:light dark;background:Canvas;color:CanvasText}
a{color:light-dark(#0645ad,#9db8ff)}
body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;overflow-wrap:anywhere}
code,pre,textarea{font:14px/1.45 ui-monospace,monospace}
details{border-top:1px solid color-mix(in srgb,currentColor 25%,transparent);padding:.3rem 0}
summary{cursor:pointer}
.m{text-transform:uppercase;font-weight:600}
label{display:block;margin:.6rem 0}
input,select,textarea{display:block;box-sizing:border-box;font:inherit;width:100%;max-width:32rem}
textarea{max-width:none;font:14px/1.45 ui-monospace,monospace}
button{font:inherit;padding:.3rem 1.2rem}
ul{padding-left:1.2rem}
pre{overflow:auto;max-height:30rem;padding:.6rem;border:1px solid color-mix(in srgb,currentColor 25%,transparent)}
td{padding:.1rem .8rem .1rem 0;vertical-align:top}
.find{position:sticky;top:0;background:Canvas;padding:.3rem 0}
html:not(.runs) .live{display:none}
:target{scroll-margin-top:6rem}
`;
