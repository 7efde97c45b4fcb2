import { SkinViewer, WalkingAnimation } from 'skinview3d';
import type { Variant } from '../../../skin/variant.ts';
import { smallButton } from './button.ts';

const WIDTH = 300;
const HEIGHT = 420;

export interface OpenViewer {
  /** @throws Error if there is no such texture */
  show(address: string, variant: Variant, cape?: string): Promise<void>;
}

/** Replaces a skin's pictures with a 3D view. @throws Error without WebGL or without the texture */
export async function openViewer(stage: HTMLElement): Promise<void> {
  const { viewer: address = '', model, cape } = stage.dataset;
  // The pictures stay until there is something to replace them.
  const stand = document.createElement('div');
  await makeViewer(stand).show(address, model === 'slim' ? 'slim' : 'classic', cape);
  stage.replaceChildren(...stand.children);
}

/** Puts a viewer and its buttons on a stage. @throws Error without WebGL */
export function makeViewer(stage: HTMLElement): OpenViewer {
  const canvas = document.createElement('canvas');
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', 'The skin in 3D');
  const viewer = new SkinViewer({ canvas, width: WIDTH, height: HEIGHT });
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (!isCalm) viewer.animation = new WalkingAnimation();
  return {
    show: async (address, variant, cape) => {
      await viewer.loadSkin(address, { model: variant === 'slim' ? 'slim' : 'default' });
      if (cape !== undefined) await viewer.loadCape(cape);
      stage.replaceChildren(canvas, controls(viewer, cape !== undefined));
    },
  };
}

function controls(viewer: SkinViewer, hasCape: boolean): HTMLElement {
  const row = document.createElement('div');
  row.className = 'controls';
  row.append(...toggles(viewer), ...(hasCape ? [capeToggle(viewer)] : []));
  return row;
}

function toggles(viewer: SkinViewer): HTMLElement[] {
  const { skin } = viewer.playerObject;
  return [
    toggle('Walk', viewer.animation !== null, (isOn) => {
      viewer.animation = isOn ? new WalkingAnimation() : null;
    }),
    toggle('Outer layer', true, (isOn) => {
      skin.setOuterLayerVisible(isOn);
    }),
    toggle('Slim arms', skin.modelType === 'slim', (isOn) => {
      skin.modelType = isOn ? 'slim' : 'default';
    }),
    toggle('Back view', false, (isOn) => {
      viewer.playerObject.rotation.y = isOn ? Math.PI : 0;
    }),
  ];
}

function capeToggle(viewer: SkinViewer): HTMLElement {
  return toggle('Cape', true, (isOn) => {
    viewer.playerObject.backEquipment = isOn ? 'cape' : null;
  });
}

function toggle(name: string, isOn: boolean, change: (isOn: boolean) => void): HTMLElement {
  const button = smallButton(name, () => {
    const next = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', String(next));
    change(next);
  });
  button.setAttribute('aria-pressed', String(isOn));
  return button;
}
