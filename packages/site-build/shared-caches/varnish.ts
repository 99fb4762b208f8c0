/** The key of a page in the configuration of Varnish. */
import type { PageKeyRules } from '../../../app/server/page-cache/page-cache-key.ts';
import {
  ASSET_PATH,
  acceptsCoding,
  exactPaths,
  firstCookie,
  namesLanguage,
  PLAIN_ACCEPT_ENCODING,
  PLAIN_ACCEPT_LANGUAGE,
  PLAIN_HOST,
  pathsByLanguage,
  personalCookie,
  QUALITIES,
} from './key-patterns.ts';

/** The generated subroutines of `deploy/varnish/default.vcl`. */
export function varnishKey(rules: PageKeyRules): string {
  const { themes, defaultTheme, languages, themeCookie, localeCookie, dismissedOffer } = rules;
  const anyLanguage = `(${languages.join('|')})`;
  const byPath = [...pathsByLanguage(rules)].map(
    ([code, paths]) =>
      [`req.url ~ "${exactPaths(paths)}"`, `set req.http.X-Page-Language = "${code}";`] as const,
  );
  const byTheme = themes
    .filter((theme) => theme !== defaultTheme)
    .map(
      (theme) =>
        [
          `req.http.Cookie ~ "${firstCookie(themeCookie, theme)}"`,
          `set req.http.X-Page-Theme = "${theme}";`,
        ] as const,
    );
  const chosen = firstCookie(localeCookie, anyLanguage);
  const byQuality = QUALITIES.map((quality) => {
    const pattern = namesLanguage(anyLanguage, quality);
    return [
      `req.http.Accept-Language ~ "${pattern}"`,
      `set req.http.X-Page-Offer = regsub(req.http.Accept-Language, "^.*?${pattern}.*$", "\\1");`,
    ] as const;
  });
  return `# The language of a page at exactly this address. Other addresses are no pages.
sub page_language {
${choice(byPath)}
}

# What a request must not have so that its page has a key.
sub page_request {
  if (req.method != "GET" && req.method != "HEAD") {
    unset req.http.X-Page-Language;
  } elsif (req.http.Content-Length || req.http.Transfer-Encoding) {
    unset req.http.X-Page-Language;
  } elsif (req.http.Host !~ "${PLAIN_HOST}") {
    unset req.http.X-Page-Language;
  } elsif (req.http.Sec-Fetch-Dest && req.http.Sec-Fetch-Dest != "document") {
    unset req.http.X-Page-Language;
  } elsif (req.http.Cookie ~ "${personalCookie(rules)}") {
    unset req.http.X-Page-Language;
  } elsif (req.http.Accept-Language && req.http.Accept-Language !~ "${PLAIN_ACCEPT_LANGUAGE}") {
    unset req.http.X-Page-Language;
  } elsif (req.http.Accept-Encoding && req.http.Accept-Encoding !~ "${PLAIN_ACCEPT_ENCODING}") {
    unset req.http.X-Page-Language;
  }
}

sub page_theme {
  set req.http.X-Page-Theme = "${defaultTheme}";
${choice(byTheme)}
}

# The language that the page is offered in: the visitor's choice, else the best of Accept-Language.
sub page_offer {
  if (req.http.Cookie ~ "${chosen}") {
    set req.http.X-Page-Offer = regsub(req.http.Cookie, "${chosen}.*$", "\\1");
  } els${choice(byQuality).trimStart()}
  if (!req.http.X-Page-Offer || req.http.X-Page-Offer == req.http.X-Page-Language) {
    set req.http.X-Page-Offer = "none";
  }
  if (req.http.Cookie ~ "${firstCookie(dismissedOffer.cookie, dismissedOffer.value)}") {
    set req.http.X-Page-Offer = "none";
  }
}

# Whether the site would redirect this request for its first page to the visitor's language, or set a cookie.
sub page_arrival {
  if (req.url == "/" && req.http.Sec-Fetch-Site != "same-origin" && req.http.Cookie !~ "${firstCookie(localeCookie, rules.pages.get('/')?.code ?? '')}") {
    set req.http.X-Page-Arrival = "yes";
  }
}

sub page_coding {
  if (req.http.Accept-Encoding ~ "${acceptsCoding('br')}") {
    set req.http.Accept-Encoding = "br";
  } elsif (req.http.Accept-Encoding ~ "${acceptsCoding('gzip')}") {
    set req.http.Accept-Encoding = "gzip";
  } else {
    unset req.http.Accept-Encoding;
  }
}

# A file of the build, whose name contains a hash of its content.
sub is_asset {
  if (req.url ~ "${ASSET_PATH}" && (req.method == "GET" || req.method == "HEAD") && req.http.Host ~ "${PLAIN_HOST}") {
    if (!req.http.Content-Length && !req.http.Transfer-Encoding) {
      set req.http.X-Page-Key = "asset";
    }
  }
}
`;
}

/** A chain of conditions, indented by two spaces. */
function choice(cases: readonly (readonly [string, string])[]): string {
  const parts = cases.map(([condition, statement]) => `if (${condition}) {\n    ${statement}\n  }`);
  return `  ${parts.join(' els')}`;
}
