/**
 * A script for the explorer's page: each tab that is shown for the first time has its variables open and, with a token to load the
 * schema with, its docs. Altair 8.5 has no option for either: whether they are open is state of a tab that only its buttons change,
 * and `schema.reloadOnStart` asks without a token too and again at each look at a tab. So this clicks, once for each tab: what is
 * closed by hand stays closed.
 */
export const openPanes = (withDocs: boolean): string => `
  const ids = ${JSON.stringify([...(withDocs ? ['reload_docs', 'show_docs'] : []), 'toggle_variables'])};
  const seen = new WeakSet();
  new MutationObserver(() => {
    const tab = document.querySelector('.window-switcher__item--active');
    const buttons = ids.map((id) => document.querySelector('app-window [track-id="' + id + '"]'));
    if (!tab || seen.has(tab) || buttons.includes(null)) return;
    seen.add(tab);
    for (const button of buttons) button.click();
  }).observe(document.querySelector('app-root'), { childList: true, subtree: true, attributes: true, attributeFilter: ['class'] });
`;
