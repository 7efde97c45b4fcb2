/** Offers the skin in 3D. The renderer is large, so it is loaded on demand. */
export function offerViewer(stage: HTMLElement): void {
  const button = stage.querySelector<HTMLButtonElement>('[data-open-viewer]');
  if (!button) return;
  button.hidden = false;
  button.addEventListener('click', async () => {
    button.disabled = true;
    try {
      const { openViewer } = await import('./skin-viewer.ts');
      await openViewer(stage);
    } catch {
      button.textContent = 'This browser cannot show 3D';
    }
  });
}
