# Varnish 7.1 and later in front of the site, with SHARED_CACHE=on. docs/deployment.md explains the installation, the
# parameters of varnishd, and how to purge the pages after a deployment.
vcl 4.1;

import std;

# The site. Change host and port here.
backend site {
  .host = "127.0.0.1";
  .port = "3000";
  # The site responds within 30 s, or with an error.
  .connect_timeout = 2s;
  .first_byte_timeout = 60s;
  .between_bytes_timeout = 60s;
}

sub vcl_recv {
  # Several lines of one header are one value, as at the site. Otherwise the second line of Cookie would not be checked.
  std.collect(req.http.Cookie, "; ");
  std.collect(req.http.Accept-Language, ", ");
  std.collect(req.http.Accept-Encoding, ", ");
  std.collect(req.http.Sec-Fetch-Dest, ", ");
  std.collect(req.http.Sec-Fetch-Site, ", ");

  # Varnish would cut ranges out of every response, also of a HEAD or POST request. The site knows what has ranges.
  if (req.restarts == 0) {
    set req.http.X-Page-Range = req.http.Range;
    unset req.http.Range;
  }

  # Names of this file, which a visitor must not set.
  unset req.http.X-Page-Key;
  unset req.http.X-Page-Language;
  unset req.http.X-Page-Theme;
  unset req.http.X-Page-Offer;
  unset req.http.X-Page-Arrival;

  call is_asset;
  if (req.http.X-Page-Key) {
    unset req.http.Cookie;
    call page_coding;
    return (hash);
  }

  call page_language;
  call page_request;
  if (!req.http.X-Page-Language) {
    return (pass);
  }
  call page_arrival;
  if (req.http.X-Page-Arrival && req.restarts == 0) {
    return (pass);
  }
  call page_theme;
  call page_offer;
  # On arrival, the visitor's language is that of the page. After a restart, the site cannot redirect.
  if (req.url == "/" && req.http.Sec-Fetch-Site != "same-origin" && !req.http.X-Page-Arrival) {
    set req.http.X-Page-Offer = "none";
  }
  set req.http.X-Page-Key = req.http.X-Page-Theme + "|" + req.http.X-Page-Offer;

  # The site gets what the key consists of, and so sends the page of the key whatever else the visitor sent.
  call page_coding;
  set req.http.Cookie = "theme=" + req.http.X-Page-Theme;
  unset req.http.Accept-Language;
  if (req.http.X-Page-Offer != "none") {
    set req.http.Accept-Language = req.http.X-Page-Offer;
  }
  unset req.http.Sec-Fetch-Site;
  if (req.url == "/") {
    set req.http.Sec-Fetch-Site = "same-origin";
  }
  return (hash);
}

sub vcl_hash {
  hash_data(req.url);
  hash_data(req.http.Host);
  hash_data(req.http.X-Page-Key);
  hash_data(req.http.Accept-Encoding);
  return (lookup);
}

sub vcl_backend_fetch {
  if (bereq.uncacheable && bereq.http.X-Page-Range) {
    set bereq.http.Range = bereq.http.X-Page-Range;
  }
  unset bereq.http.X-Page-Range;
  unset bereq.http.X-Page-Key;
  unset bereq.http.X-Page-Language;
  unset bereq.http.X-Page-Theme;
  unset bereq.http.X-Page-Offer;
  unset bereq.http.X-Page-Arrival;
}

sub vcl_backend_response {
  if (bereq.uncacheable) {
    return (deliver);
  }
  # The stored page is better than an error, and than a rejection of what this visitor sent.
  if (bereq.is_bgfetch && (beresp.status >= 500 || beresp.status == 400 || beresp.status == 408 || beresp.status == 421 ||
    beresp.status == 429 || beresp.status == 431)) {
    return (abandon);
  }
  if (beresp.status == 200 && !beresp.http.Set-Cookie && beresp.http.CDN-Cache-Control ~ "max-age=[0-9]+") {
    set beresp.ttl = std.duration(regsub(beresp.http.CDN-Cache-Control, "^.*max-age=([0-9]+).*$", "\1s"), 0s);
    set beresp.grace = std.duration(regsub(beresp.http.CDN-Cache-Control, "^.*stale-if-error=([0-9]+).*$", "\1s"), 0s);
    unset beresp.http.X-Request-Id;
  } elsif (beresp.status == 200 && !beresp.http.Set-Cookie && beresp.http.Cache-Control ~ "immutable") {
    set beresp.ttl = 1d;
    set beresp.grace = 2d;
    unset beresp.http.X-Request-Id;
  } else {
    # Others who want this page do not wait for each other.
    set beresp.ttl = 10s;
    set beresp.grace = 0s;
    set beresp.uncacheable = true;
  }
  return (deliver);
}

sub vcl_backend_error {
  # When others wait for it, Varnish would store it for a second.
  set beresp.ttl = 0s;
  set beresp.grace = 0s;
  set beresp.keep = 0s;
  set beresp.http.Content-Type = "text/html; charset=utf-8";
  set beresp.http.Cache-Control = "private, no-store";
  set beresp.http.Content-Security-Policy = "default-src 'none'; frame-ancestors 'none'";
  set beresp.http.Retry-After = "5";
  set beresp.http.X-Site-Down = "yes";
  synthetic({"<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>503</title><p>The site does not respond. Please try again in a moment."});
  return (deliver);
}

sub vcl_deliver {
  # Nobody tells the visitor's language when the site does not respond: the first page is sent in English.
  if (resp.http.X-Site-Down && req.http.X-Page-Arrival && req.restarts == 0) {
    return (restart);
  }
  unset resp.http.X-Site-Down;
  # The lifetime is for this cache. One in front of it would not be purged.
  unset resp.http.CDN-Cache-Control;
  unset resp.http.X-Varnish;
  if (!resp.http.X-Request-Id) {
    set resp.http.X-Request-Id = std.time2integer(now, 0) + "-" + req.xid;
  }
  if (obj.hits > 0) {
    set resp.http.Cache-Status = "tenfold; hit";
  } elsif (req.http.X-Page-Key) {
    set resp.http.Cache-Status = "tenfold; fwd=miss";
  } else {
    set resp.http.Cache-Status = "tenfold; fwd=bypass";
  }
  return (deliver);
}

# Begin of what `npm run edge:config` writes
# The language of a page at exactly this address. Other addresses are no pages.
sub page_language {
  if (req.url ~ "^(?:/|/test-message|/typography-demo|/privacy)$") {
    set req.http.X-Page-Language = "en";
  } elsif (req.url ~ "^(?:/fr|/fr/test-message|/fr/typography-demo|/fr/privacy)$") {
    set req.http.X-Page-Language = "fr";
  } elsif (req.url ~ "^(?:/es|/es/test-message|/es/typography-demo|/es/privacy)$") {
    set req.http.X-Page-Language = "es";
  } elsif (req.url ~ "^(?:/zh|/zh/test-message|/zh/typography-demo|/zh/privacy)$") {
    set req.http.X-Page-Language = "zh";
  } elsif (req.url ~ "^(?:/ar|/ar/test-message|/ar/typography-demo|/ar/privacy)$") {
    set req.http.X-Page-Language = "ar";
  } elsif (req.url ~ "^(?:/de|/de/test-message|/de/typography-demo|/de/privacy)$") {
    set req.http.X-Page-Language = "de";
  } elsif (req.url ~ "^(?:/pt|/pt/test-message|/pt/typography-demo|/pt/privacy)$") {
    set req.http.X-Page-Language = "pt";
  } elsif (req.url ~ "^(?:/ja|/ja/test-message|/ja/typography-demo|/ja/privacy)$") {
    set req.http.X-Page-Language = "ja";
  } elsif (req.url ~ "^(?:/ru|/ru/test-message|/ru/typography-demo|/ru/privacy)$") {
    set req.http.X-Page-Language = "ru";
  } elsif (req.url ~ "^(?:/hi|/hi/test-message|/hi/typography-demo|/hi/privacy)$") {
    set req.http.X-Page-Language = "hi";
  }
}

# What a request must not have so that its page has a key.
sub page_request {
  if (req.method != "GET" && req.method != "HEAD") {
    unset req.http.X-Page-Language;
  } elsif (req.http.Content-Length || req.http.Transfer-Encoding) {
    unset req.http.X-Page-Language;
  } elsif (req.http.Host !~ "^[a-z0-9.-]+(?::[0-9]+)?$") {
    unset req.http.X-Page-Language;
  } elsif (req.http.Sec-Fetch-Dest && req.http.Sec-Fetch-Dest != "document") {
    unset req.http.X-Page-Language;
  } elsif (req.http.Cookie ~ "(?:^|[;,\s])(?:__Host-)?(?:session|notice|outcome)") {
    unset req.http.X-Page-Language;
  } elsif (req.http.Accept-Language && req.http.Accept-Language !~ "^(?:[a-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}|\*)(?:;q=(?:1(?:\.0)?|0\.[0-9]))?(?:, ?(?:[a-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}|\*)(?:;q=(?:1(?:\.0)?|0\.[0-9]))?){0,11}$") {
    unset req.http.X-Page-Language;
  } elsif (req.http.Accept-Encoding && req.http.Accept-Encoding !~ "^[a-z-]{1,10}(?:, ?[a-z-]{1,10}){0,15}$") {
    unset req.http.X-Page-Language;
  }
}

sub page_theme {
  set req.http.X-Page-Theme = "system";
  if (req.http.Cookie ~ "^(?:(?![ \t]*theme[ \t]*=)[^;]*;)*[ \t]*theme[ \t]*=[ \t]*light[ \t]*(?:;|$)") {
    set req.http.X-Page-Theme = "light";
  } elsif (req.http.Cookie ~ "^(?:(?![ \t]*theme[ \t]*=)[^;]*;)*[ \t]*theme[ \t]*=[ \t]*dark[ \t]*(?:;|$)") {
    set req.http.X-Page-Theme = "dark";
  }
}

# The language that the page is offered in: the visitor's choice, else the best of Accept-Language.
sub page_offer {
  if (req.http.Cookie ~ "^(?:(?![ \t]*locale[ \t]*=)[^;]*;)*[ \t]*locale[ \t]*=[ \t]*(en|fr|es|zh|ar|de|pt|ja|ru|hi)[ \t]*(?:;|$)") {
    set req.http.X-Page-Offer = regsub(req.http.Cookie, "^(?:(?![ \t]*locale[ \t]*=)[^;]*;)*[ \t]*locale[ \t]*=[ \t]*(en|fr|es|zh|ar|de|pt|ja|ru|hi)[ \t]*(?:;|$).*$", "\1");
  } elsif (req.http.Accept-Language ~ "(?:^|, ?)(en|fr|es|zh|ar|de|pt|ja|ru|hi)(?:-[A-Za-z0-9]{1,8}){0,3}(?:;q=1(?:\.0)?)?(?:,|$)") {
    set req.http.X-Page-Offer = regsub(req.http.Accept-Language, "^.*?(?:^|, ?)(en|fr|es|zh|ar|de|pt|ja|ru|hi)(?:-[A-Za-z0-9]{1,8}){0,3}(?:;q=1(?:\.0)?)?(?:,|$).*$", "\1");
  } elsif (req.http.Accept-Language ~ "(?:^|, ?)(en|fr|es|zh|ar|de|pt|ja|ru|hi)(?:-[A-Za-z0-9]{1,8}){0,3};q=0\.9(?:,|$)") {
    set req.http.X-Page-Offer = regsub(req.http.Accept-Language, "^.*?(?:^|, ?)(en|fr|es|zh|ar|de|pt|ja|ru|hi)(?:-[A-Za-z0-9]{1,8}){0,3};q=0\.9(?:,|$).*$", "\1");
  } elsif (req.http.Accept-Language ~ "(?:^|, ?)(en|fr|es|zh|ar|de|pt|ja|ru|hi)(?:-[A-Za-z0-9]{1,8}){0,3};q=0\.8(?:,|$)") {
    set req.http.X-Page-Offer = regsub(req.http.Accept-Language, "^.*?(?:^|, ?)(en|fr|es|zh|ar|de|pt|ja|ru|hi)(?:-[A-Za-z0-9]{1,8}){0,3};q=0\.8(?:,|$).*$", "\1");
  } elsif (req.http.Accept-Language ~ "(?:^|, ?)(en|fr|es|zh|ar|de|pt|ja|ru|hi)(?:-[A-Za-z0-9]{1,8}){0,3};q=0\.7(?:,|$)") {
    set req.http.X-Page-Offer = regsub(req.http.Accept-Language, "^.*?(?:^|, ?)(en|fr|es|zh|ar|de|pt|ja|ru|hi)(?:-[A-Za-z0-9]{1,8}){0,3};q=0\.7(?:,|$).*$", "\1");
  } elsif (req.http.Accept-Language ~ "(?:^|, ?)(en|fr|es|zh|ar|de|pt|ja|ru|hi)(?:-[A-Za-z0-9]{1,8}){0,3};q=0\.6(?:,|$)") {
    set req.http.X-Page-Offer = regsub(req.http.Accept-Language, "^.*?(?:^|, ?)(en|fr|es|zh|ar|de|pt|ja|ru|hi)(?:-[A-Za-z0-9]{1,8}){0,3};q=0\.6(?:,|$).*$", "\1");
  } elsif (req.http.Accept-Language ~ "(?:^|, ?)(en|fr|es|zh|ar|de|pt|ja|ru|hi)(?:-[A-Za-z0-9]{1,8}){0,3};q=0\.5(?:,|$)") {
    set req.http.X-Page-Offer = regsub(req.http.Accept-Language, "^.*?(?:^|, ?)(en|fr|es|zh|ar|de|pt|ja|ru|hi)(?:-[A-Za-z0-9]{1,8}){0,3};q=0\.5(?:,|$).*$", "\1");
  } elsif (req.http.Accept-Language ~ "(?:^|, ?)(en|fr|es|zh|ar|de|pt|ja|ru|hi)(?:-[A-Za-z0-9]{1,8}){0,3};q=0\.4(?:,|$)") {
    set req.http.X-Page-Offer = regsub(req.http.Accept-Language, "^.*?(?:^|, ?)(en|fr|es|zh|ar|de|pt|ja|ru|hi)(?:-[A-Za-z0-9]{1,8}){0,3};q=0\.4(?:,|$).*$", "\1");
  } elsif (req.http.Accept-Language ~ "(?:^|, ?)(en|fr|es|zh|ar|de|pt|ja|ru|hi)(?:-[A-Za-z0-9]{1,8}){0,3};q=0\.3(?:,|$)") {
    set req.http.X-Page-Offer = regsub(req.http.Accept-Language, "^.*?(?:^|, ?)(en|fr|es|zh|ar|de|pt|ja|ru|hi)(?:-[A-Za-z0-9]{1,8}){0,3};q=0\.3(?:,|$).*$", "\1");
  } elsif (req.http.Accept-Language ~ "(?:^|, ?)(en|fr|es|zh|ar|de|pt|ja|ru|hi)(?:-[A-Za-z0-9]{1,8}){0,3};q=0\.2(?:,|$)") {
    set req.http.X-Page-Offer = regsub(req.http.Accept-Language, "^.*?(?:^|, ?)(en|fr|es|zh|ar|de|pt|ja|ru|hi)(?:-[A-Za-z0-9]{1,8}){0,3};q=0\.2(?:,|$).*$", "\1");
  } elsif (req.http.Accept-Language ~ "(?:^|, ?)(en|fr|es|zh|ar|de|pt|ja|ru|hi)(?:-[A-Za-z0-9]{1,8}){0,3};q=0\.1(?:,|$)") {
    set req.http.X-Page-Offer = regsub(req.http.Accept-Language, "^.*?(?:^|, ?)(en|fr|es|zh|ar|de|pt|ja|ru|hi)(?:-[A-Za-z0-9]{1,8}){0,3};q=0\.1(?:,|$).*$", "\1");
  }
  if (!req.http.X-Page-Offer || req.http.X-Page-Offer == req.http.X-Page-Language) {
    set req.http.X-Page-Offer = "none";
  }
  if (req.http.Cookie ~ "^(?:(?![ \t]*language-offer[ \t]*=)[^;]*;)*[ \t]*language-offer[ \t]*=[ \t]*dismissed[ \t]*(?:;|$)") {
    set req.http.X-Page-Offer = "none";
  }
}

# Whether the site would redirect this request for its first page to the visitor's language, or set a cookie.
sub page_arrival {
  if (req.url == "/" && req.http.Sec-Fetch-Site != "same-origin" && req.http.Cookie !~ "^(?:(?![ \t]*locale[ \t]*=)[^;]*;)*[ \t]*locale[ \t]*=[ \t]*en[ \t]*(?:;|$)") {
    set req.http.X-Page-Arrival = "yes";
  }
}

sub page_coding {
  if (req.http.Accept-Encoding ~ "(?:^|[, ])br(?:,|$)") {
    set req.http.Accept-Encoding = "br";
  } elsif (req.http.Accept-Encoding ~ "(?:^|[, ])gzip(?:,|$)") {
    set req.http.Accept-Encoding = "gzip";
  } else {
    unset req.http.Accept-Encoding;
  }
}

# A file of the build, whose name contains a hash of its content.
sub is_asset {
  if (req.url ~ "^/assets/[A-Za-z0-9_-][A-Za-z0-9_.-]*$" && (req.method == "GET" || req.method == "HEAD") && req.http.Host ~ "^[a-z0-9.-]+(?::[0-9]+)?$") {
    if (!req.http.Content-Length && !req.http.Transfer-Encoding) {
      set req.http.X-Page-Key = "asset";
    }
  }
}
# End of what `npm run edge:config` writes
