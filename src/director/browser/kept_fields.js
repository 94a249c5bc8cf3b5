// The fields of the forms that hold a typed text, but those: their names and what they hold. Reads only.
typed => {
  const masks = globalThis.__directorMasks, editors = masks?.editors() ?? [];
  const words = text => (text ?? '').replace(/\s+/g, ' ').trim();
  const seen = e => e.checkVisibility?.({visibilityProperty: true}) ?? true;
  const OTHER = '[type=hidden],[type=password],[type=submit],[type=button],[type=reset],[type=image],[type=file],' +
    '[type=checkbox],[type=radio],[type=search],[type=range],[type=color],[readonly],[disabled],[multiple]';
  const known = new Set(typed.map(words));
  const held = e => e.matches('select') ? (e.value ? words(e.selectedOptions[0]?.text) : '') : words(e.value);
  const isOther = e => e.matches('input,select,textarea') && !e.matches(OTHER) && e.name && seen(e) &&
    !masks?.hidesText(e, editors) && !masks?.hidesValue(e) && held(e) && !known.has(held(e));
  // A label may hold its field, with all that can be chosen in it.
  const said = label => words([...label.childNodes].filter(node => !node.matches?.('input,select,textarea'))
    .map(node => node.textContent).join(' '));
  const labels = e => [...(e.labels ?? [])].map(said);
  const forms = [...document.forms].filter(form => [...form.elements].some(e => known.has(words(e.value))));
  return forms.flatMap(form => [...form.elements]).filter(isOther)
    .map(e => [[e.name, e.id, e.getAttribute('aria-label'), ...labels(e)], held(e)]);
}
