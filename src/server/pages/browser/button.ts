/** A secondary button. */
export function smallButton(label: string, act: (button: HTMLButtonElement) => void): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet-button';
  button.textContent = label;
  button.addEventListener('click', () => act(button));
  return button;
}
