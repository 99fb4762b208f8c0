/** Markup for every context of a page. Where it is not escaped it runs a script or adds an element. */
export const INJECTED_MARKUP = [
  '</script><script>window.ran=1</script>',
  '"><img src=x onerror="window.ran=1">',
  "'><svg/onload=window.ran=1>",
  '</textarea></title></style><iframe srcdoc="<script>parent.ran=1</script>">',
  '<!--<script>',
  '{{constructor.constructor("window.ran=1")()}} $t(nav.pages.index) {{count}}',
  'javascript:window.ran=1',
  '&lt;b&gt;&#60;b&#62;',
  '\u2028\u2029\u202e]]>',
].join(' ');
