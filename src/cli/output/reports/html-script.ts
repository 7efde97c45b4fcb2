/**
 * The entire script of the HTML report. The page's content security policy allows only this text, by its hash. Without
 * the script, only the buttons are missing.
 */
export const SCRIPT = `
document.documentElement.classList.add('scripted');
document.addEventListener('click', async ({ target }) => {
  const button = target.closest('button.copy');
  if (!button) return;
  const text = button.closest('.card').querySelector('.' + button.name).textContent;
  const isCopied = await copy(text);
  const label = button.dataset.label ??= button.textContent;
  button.textContent = isCopied ? 'copied' : 'not copied';
  setTimeout(() => { button.textContent = label; }, 1500);
});
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyAsBefore(text);
  }
}
/* Where a page from a file may not use the clipboard. */
function copyAsBefore(text) {
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  return isCopied;
}
`;
