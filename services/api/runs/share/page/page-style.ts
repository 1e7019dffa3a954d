/**
 * Style sheet of a shared report, with the console's colours, sizes and bars (services/console/src/theme). The page
 * loads no external resources, and prints in the light colours.
 */
export const pageStyle = `
:root{color-scheme:light dark;--bg:light-dark(oklch(.984 .002 258),oklch(.172 .008 262));
--surface:light-dark(oklch(1 0 0),oklch(.203 .009 262));--sunken:light-dark(oklch(.968 .003 258),oklch(.236 .01 262));
--track:light-dark(oklch(.928 .005 258),oklch(.3 .011 262));--line:light-dark(oklch(.918 .004 258),oklch(.276 .01 262));
--text:light-dark(oklch(.235 .014 262),oklch(.94 .004 262));--text-2:light-dark(oklch(.42 .014 262),oklch(.77 .009 262));
--text-3:light-dark(oklch(.515 .013 262),oklch(.665 .011 262));
--ok:light-dark(oklch(.465 .105 165),oklch(.78 .125 165));--bad:light-dark(oklch(.5 .185 28),oklch(.755 .135 28));
--info:light-dark(oklch(.49 .165 262),oklch(.745 .115 262));--info-bg:light-dark(oklch(.955 .02 262),oklch(.28 .05 262));
--succeeded:light-dark(oklch(.67 .115 168),oklch(.745 .12 168));--failed:light-dark(oklch(.5 .19 28),oklch(.585 .2 28));
--skipped:light-dark(oklch(.79 .01 258),oklch(.5 .012 262));--suppressed:light-dark(oklch(.64 .05 262),oklch(.6 .06 262));
--heldOut:light-dark(oklch(.7 .01 258),oklch(.56 .012 262));--expired:light-dark(oklch(.74 .14 78),oklch(.8 .135 82));
--cancelled:light-dark(oklch(.43 .012 262),oklch(.8 .008 262));--unknown:light-dark(oklch(.56 .16 312),oklch(.72 .14 312))}
*{box-sizing:border-box}
body{max-width:1180px;margin:0 auto;padding:20px 24px 32px;background:var(--bg);color:var(--text);
font:13px/20px Inter,ui-sans-serif,system-ui,'Segoe UI',Roboto,'Liberation Sans',sans-serif;font-variant-numeric:tabular-nums}
h1{margin:0;font-size:19px;line-height:26px;font-weight:600;overflow-wrap:anywhere}h2{margin:0;font-size:13px;font-weight:600}
p{margin:0}header>p,.quiet{color:var(--text-2)}.small{font-size:12px;color:var(--text-3)}
.brand{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 16px;margin-bottom:14px;color:var(--text-3);font-size:12px}
.title{display:flex;flex-wrap:wrap;gap:2px 10px;align-items:center}
.state{padding:0 7px;border:1px solid var(--line);border-radius:4px;background:var(--sunken);font-size:12px;font-weight:500}
.banner{margin-top:14px;padding:8px 12px;border-radius:6px;background:var(--info-bg)}.banner b{color:var(--info)}
section{margin-top:14px;border:1px solid var(--line);border-radius:6px;background:var(--surface)}
section>h2{padding:8px 16px;border-bottom:1px solid var(--line)}
section>footer{padding:7px 16px;border-top:1px solid var(--line);font-size:12px;color:var(--text-3)}
.equation{display:flex;flex-wrap:wrap;gap:6px 10px;justify-content:space-between;padding:12px 16px 10px}
.term b{display:block;font-size:19px;line-height:26px}.term.zero b{color:var(--text-3);font-weight:400}
.sign{color:var(--text-3);font-size:17px;line-height:26px}
.key{display:inline-flex;align-items:center;gap:5px;font-size:12px;color:var(--text-2);white-space:nowrap}
.key i{width:10px;height:10px;border-radius:2px}
.right{color:var(--ok)}.wrong{color:var(--bad)}
table{width:100%;border-collapse:collapse}
th,td{height:30px;padding:3px 7px;border-bottom:1px solid var(--line);text-align:right;font-weight:400}
tbody:last-child tr:last-child>*{border-bottom:0}
thead th{height:28px;font-size:12px;color:var(--text-3)}
:is(th,td):first-child{padding-left:16px;text-align:left;min-width:132px;overflow-wrap:break-word}:is(th,td):last-child{padding-right:16px}
.sum>*{background:var(--sunken)}.sum>th{font-weight:600}.zero{color:var(--text-3)}
.text{text-align:left}.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:12px}
.wide{width:16%}
.bar{display:flex;gap:1px;height:10px;min-width:90px;border-radius:2px;overflow:hidden}.sum .bar{height:14px}
.bar i{min-width:2px;flex-basis:0}
.o-succeeded{background:var(--succeeded)}.o-failed{background:var(--failed)}.o-skipped{background:var(--skipped)}
.o-suppressed{background:var(--suppressed)}.o-expired{background:var(--expired)}.o-cancelled{background:var(--cancelled)}
.o-pending{background:var(--track)}
.o-heldOut{background:repeating-linear-gradient(135deg,var(--heldOut) 0 1.5px,var(--surface) 1.5px 4px);box-shadow:inset 0 0 0 1px var(--heldOut)}
.o-unknown{background:repeating-linear-gradient(45deg,var(--unknown) 0 3px,var(--surface) 3px 5px)}
@media screen and (max-width:1120px){body{padding:14px 12px 24px}
.equation{display:grid;grid-template-columns:18px max-content 1fr;gap:4px 8px;padding:10px 12px}.term{display:contents}
.term b{font-size:15px;line-height:22px;text-align:right}.term .first{grid-column:2}.sign{grid-column:1;line-height:22px}
table,tbody{display:block}thead{display:none}tr{display:flex;flex-wrap:wrap;gap:2px 12px;padding:7px 16px;border-bottom:1px solid var(--line)}
tbody:last-child tr:last-child{border-bottom:0}
:is(th,td),:is(th,td):first-child,:is(th,td):last-child{height:auto;padding:0;border:0;width:auto;text-align:left}
tr>th,.wide{flex:0 0 100%}tr.sum{background:var(--sunken)}td.zero{display:none}
.term b,td{overflow-wrap:anywhere}td[data-name]::before{content:attr(data-name) ' ';color:var(--text-3);font-size:12px}}
@page{size:landscape;margin:12mm}
@media print{:root{color-scheme:light}body{max-width:none;padding:0;background:none;font-size:11px;line-height:16px;print-color-adjust:exact;-webkit-print-color-adjust:exact}
section{break-inside:auto;margin-top:8px}tr,.equation{break-inside:avoid}thead{display:table-header-group}th,td{height:22px;padding:2px 4px}
.key{gap:3px;font-size:10px}.key i{width:8px;height:8px}.bar{min-width:70px}.equation{gap:6px}.term b{font-size:15px;line-height:20px}}`;
