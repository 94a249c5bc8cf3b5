// The shell asks for the page that it is to be. The key of this browser goes in a header, for no
// other program on this machine may get it; a cookie would be sent to every port. The parser waits
// meanwhile: the page comes to be as if it had been sent at once, with its fragment, its scrolling
// and its `load`. That is why this one request does not run beside the page.
(() => {
  const say = (text) => document.write(`<title>Director</title><p>${text}</p>`);
  const own = location.href.split("#")[0];
  const page = new XMLHttpRequest();
  try {
    page.open("GET", own, false);
    page.setRequestHeader("accept", "text/html");
    page.setRequestHeader("authorization", `Bearer ${localStorage.getItem("director-key") ?? ""}`);
    page.send();
  } catch {
    say("Director does not answer, or this browser keeps no local storage. Load this page again.");
    return;
  }
  const isPage = page.getResponseHeader("content-type")?.startsWith("text/html") && !page.getResponseHeader("content-disposition");
  if (page.responseURL !== own) history.replaceState(null, "", page.responseURL + location.hash);
  if (isPage) document.write(page.responseText);
  else say("There is no page at this address.");
})();
