import { SkinViewer, WalkingAnimation } from 'skinview3d';

const WIDTH = 300;
const HEIGHT = 420;

/** Replaces the pictures of a skin by one that can be turned. @throws Error without WebGL or without the texture */
export async function openViewer(stage: HTMLElement): Promise<void> {
  const canvas = document.createElement('canvas');
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', 'The skin in 3D');
  const viewer = new SkinViewer({ canvas, width: WIDTH, height: HEIGHT });
  const model = stage.dataset['model'] === 'slim' ? 'slim' : 'default';
  await viewer.loadSkin(stage.dataset['viewer'] ?? '', { model });
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (!isCalm) viewer.animation = new WalkingAnimation();
  stage.replaceChildren(canvas, ...controls(viewer));
}

function controls(viewer: SkinViewer): HTMLElement[] {
  return [
    toggle('Walk', viewer.animation !== null, (isOn) => {
      viewer.animation = isOn ? new WalkingAnimation() : null;
    }),
    toggle('Outer layer', true, (isOn) => {
      viewer.playerObject.skin.setOuterLayerVisible(isOn);
    }),
  ];
}

function toggle(name: string, isOn: boolean, change: (isOn: boolean) => void): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet-button';
  button.textContent = name;
  button.setAttribute('aria-pressed', String(isOn));
  button.addEventListener('click', () => {
    const next = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', String(next));
    change(next);
  });
  return button;
}
