/** Style sheet of the inbox, in the colours of the console (services/console/src/theme). */
export const inboxStyle = `
:root{color-scheme:light dark;--bg:light-dark(oklch(.984 .002 258),oklch(.172 .008 262));
--surface:light-dark(oklch(1 0 0),oklch(.203 .009 262));--sunken:light-dark(oklch(.968 .003 258),oklch(.236 .01 262));
--line:light-dark(oklch(.918 .004 258),oklch(.276 .01 262));--field:light-dark(oklch(.64 .01 258),oklch(.52 .012 262));
--text:light-dark(oklch(.235 .014 262),oklch(.94 .004 262));--text-2:light-dark(oklch(.42 .014 262),oklch(.77 .009 262));
--accent:light-dark(oklch(.49 .165 262),oklch(.745 .115 262))}
*{box-sizing:border-box}
body{max-width:960px;margin:0 auto;padding:20px 24px 32px;background:var(--bg);color:var(--text);
font:14px/20px Inter,ui-sans-serif,system-ui,'Segoe UI',Roboto,'Liberation Sans',sans-serif;font-variant-numeric:tabular-nums}
header,footer{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;margin-bottom:14px;color:var(--text-2)}
footer{margin:14px 0 0;justify-content:space-between}
h1{margin:0;font-size:19px;line-height:26px;font-weight:600;color:var(--text);overflow-wrap:anywhere}
h2{margin:0;padding:8px 16px;border-bottom:1px solid var(--line);font-size:13px;font-weight:600}
a{color:var(--accent);text-underline-offset:2px}a:focus-visible,button:focus-visible,input:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
form{display:flex;flex-wrap:wrap;gap:8px;margin-left:auto}
input,button{height:30px;padding:0 10px;border:1px solid var(--field);border-radius:6px;background:var(--surface);color:var(--text);font:inherit}
ol{margin:0;padding:0;list-style:none;border:1px solid var(--line);border-radius:8px;background:var(--surface);overflow:hidden}
li+li{border-top:1px solid var(--line)}
li a{display:grid;grid-template-columns:minmax(0,3fr) minmax(0,2fr) auto;gap:2px 16px;padding:9px 16px;color:var(--text-2);text-decoration:none}
li a:hover{background:var(--sunken)}li a:focus-visible{outline-offset:-2px}li b{font-weight:500;color:var(--text)}
li :is(b,span){overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:auto minmax(0,1fr);gap:2px 16px;margin:10px 0 0}
dt{color:var(--text-2)}dd{margin:0;overflow-wrap:anywhere}
section{margin-top:14px;border:1px solid var(--line);border-radius:8px;background:var(--surface);overflow:hidden}
iframe{display:block;width:100%;height:min(50vh,380px);border:0;background:#fff;color-scheme:light}
pre{margin:0;padding:12px 16px;white-space:pre-wrap;overflow-wrap:anywhere;font:13px/19px ui-monospace,'Liberation Mono',monospace}
.none{margin:0;padding:32px 16px;border:1px solid var(--line);border-radius:8px;background:var(--surface);color:var(--text-2);text-align:center}
@media(max-width:600px){body{padding:16px}form{margin:0;width:100%}label{flex:1;display:flex;gap:8px;align-items:center}
input{flex:1;min-width:0}input,button{height:40px}li a{grid-template-columns:minmax(0,1fr) auto}li b{grid-column:1/-1}footer a,header a{padding:8px 0}}
`;
