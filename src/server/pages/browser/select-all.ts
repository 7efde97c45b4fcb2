/** Offers to select all or none of a form's boxes. */
export function offerSelectingAll(form: HTMLFormElement): void {
  const button = form.querySelector<HTMLButtonElement>('[data-select-all]');
  const boxes = [...form.querySelectorAll<HTMLInputElement>('input[type="checkbox"]')];
  if (!button) return;
  button.hidden = false;
  button.addEventListener('click', () => {
    const isOn = !boxes.every((box) => box.checked);
    for (const box of boxes) box.checked = isOn;
    tell();
  });
  form.addEventListener('change', tell);
  tell();

  function tell(): void {
    button!.textContent = boxes.every((box) => box.checked) ? 'Select none' : 'Select all';
  }
}
