import {
  CrouchAnimation,
  FlyingAnimation,
  type PlayerAnimation,
  RunningAnimation,
  SkinViewer,
  WalkingAnimation,
  WaveAnimation,
} from 'skinview3d';
import type { Variant } from '../../skin/regions.ts';
import { smallButton } from './buttons.ts';
import { element } from './element.ts';
import { say } from './language.ts';

const HEIGHT = 384;
/** Radians per press of an arrow key. */
const TURN = Math.PI / 12;
/** Smallest and largest zoom, and the factor per press of a key. */
const ZOOM = { min: 0.5, max: 2, step: 1.15 };

export interface OpenViewer {
  /** @throws Error if there is no such texture */
  show(address: string, variant: Variant, cape?: string): Promise<void>;
}

/** Puts a viewer and its controls on a stage. @throws Error without WebGL */
export function makeViewer(stage: HTMLElement, width = 300): OpenViewer {
  const canvas = element('canvas', { tabIndex: 0 });
  // A screen reader passes arrow keys on to an application.
  canvas.setAttribute('role', 'application');
  canvas.setAttribute('aria-label', say('The skin in 3D. Arrow keys turn it, + and - zoom.'));
  const view = element('div', { className: 'view' }, canvas);
  const viewer = new SkinViewer({ canvas, width, height: HEIGHT, zoom: 0.95 });
  viewer.controls.enablePan = false;
  canvas.style.touchAction = 'pan-y';
  leaveTheWheel(viewer);
  turnByKeys(viewer);
  restUnseen(viewer, view);
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  turn(viewer, -TURN * 2);
  pose(viewer, isCalm ? 'stand' : 'walk');
  return {
    show: async (address, variant, cape) => {
      await viewer.loadSkin(address, { model: variant === 'slim' ? 'slim' : 'default' });
      if (cape !== undefined) await viewer.loadCape(cape);
      stage.replaceChildren(view, controls(viewer, { isCalm, hasCape: cape !== undefined }));
    },
  };
}

/** The wheel scrolls the page; with Ctrl, it zooms. */
function leaveTheWheel({ canvas, controls }: SkinViewer): void {
  controls.enableZoom = false;
  const options = { capture: true, passive: true };
  canvas.addEventListener('wheel', ({ ctrlKey }) => (controls.enableZoom = ctrlKey), options);
}

const KEYS: Readonly<Record<string, (viewer: SkinViewer) => void>> = {
  ArrowLeft: (viewer) => turn(viewer, -TURN),
  ArrowRight: (viewer) => turn(viewer, TURN),
  ArrowUp: (viewer) => tilt(viewer, TURN),
  ArrowDown: (viewer) => tilt(viewer, -TURN),
  '+': (viewer) => zoom(viewer, ZOOM.step),
  '-': (viewer) => zoom(viewer, 1 / ZOOM.step),
};

function turnByKeys(viewer: SkinViewer): void {
  viewer.canvas.addEventListener('keydown', (event) => {
    const act = KEYS[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(viewer);
  });
}

function turn({ camera, controls }: SkinViewer, angle: number): void {
  camera.position.applyAxisAngle(camera.up, angle);
  controls.update();
}

/** Not over the head or under the feet. */
function tilt({ camera, controls }: SkinViewer, angle: number): void {
  const distance = camera.position.length();
  const height = Math.asin(camera.position.y / distance) + angle;
  const highest = Math.PI / 2 - TURN;
  camera.position.y = distance * Math.sin(Math.max(-highest, Math.min(highest, height)));
  camera.position.setLength(distance);
  controls.update();
}

function zoom(viewer: SkinViewer, factor: number): void {
  viewer.zoom = Math.max(ZOOM.min, Math.min(ZOOM.max, viewer.zoom * factor));
}

/** Draws only what is on the screen, in the size that there is. */
function restUnseen(viewer: SkinViewer, view: HTMLElement): void {
  new IntersectionObserver(([seen]) => {
    viewer.renderPaused = seen?.isIntersecting === false;
  }).observe(view);
  new ResizeObserver(() => {
    if (view.clientWidth > 0) viewer.setSize(view.clientWidth, view.clientHeight);
  }).observe(view);
}

interface ControlOptions {
  readonly isCalm: boolean;
  readonly hasCape: boolean;
}

function controls(viewer: SkinViewer, { isCalm, hasCape }: ControlOptions): HTMLElement {
  const { skin } = viewer.playerObject;
  return element(
    'div',
    { className: 'controls' },
    choice(say('Pose'), POSE_NAMES, isCalm ? 'stand' : 'walk', (name) => pose(viewer, name)),
    ...(hasCape ? [backChoice(viewer)] : []),
    smallButton(say('Front view'), () => face(viewer, 0)),
    smallButton(say('Back view'), () => face(viewer, Math.PI)),
    toggle(say('Outer layer'), true, (isOn) => skin.setOuterLayerVisible(isOn)),
    toggle(say('Slim arms'), skin.modelType === 'slim', (isOn) => {
      skin.modelType = isOn ? 'slim' : 'default';
    }),
  );
}

/** The name that people see of each pose, and what the game plays for it. */
const POSES: Readonly<Record<string, readonly [name: string, play: () => PlayerAnimation | null]>> = {
  stand: [say('Stand'), () => null],
  walk: [say('Walk'), () => new WalkingAnimation()],
  run: [say('Run'), () => new RunningAnimation()],
  wave: [say('Wave'), () => new WaveAnimation()],
  sneak: [say('Sneak'), () => new CrouchAnimation()],
  fly: [say('Fly'), () => new FlyingAnimation()],
};
const POSE_NAMES = Object.entries(POSES).map(([pose, [name]]) => [pose, name] as const);

function pose(viewer: SkinViewer, name: string): void {
  const animation = POSES[name]?.[1]() ?? null;
  if (name === 'sneak' && animation instanceof CrouchAnimation) animation.runOnce = true;
  viewer.animation = animation;
}

/** Looks at the front or the back, wherever the person has turned the skin before. */
function face(viewer: SkinViewer, angle: number): void {
  viewer.resetCameraPose();
  turn(viewer, angle);
}

const BACKS = Object.entries({ cape: say('Cape'), elytra: say('Elytra'), nothing: say('Nothing') });

function backChoice(viewer: SkinViewer): HTMLElement {
  return choice(say('On the back'), BACKS, 'cape', (name) => {
    viewer.playerObject.backEquipment = name === 'cape' || name === 'elytra' ? name : null;
  });
}

/** `names`: values, each with the name that people see. */
function choice(
  ariaLabel: string,
  names: readonly (readonly [value: string, name: string])[],
  chosen: string,
  change: (value: string) => void,
): HTMLElement {
  const options = names.map(([value, name]) => new Option(name, value, value === chosen, value === chosen));
  const select = element('select', { ariaLabel }, ...options);
  select.addEventListener('change', () => change(select.value));
  return select;
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
