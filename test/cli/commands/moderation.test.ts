import {
  moderationBlock,
  moderationBlocked,
  moderationHide,
  moderationLog,
  moderationUnblock,
  moderationUnhide,
} from '../../../src/cli/commands/moderation.ts';
import { describeParsing } from '../../support/cli/parsing.ts';

describeParsing('moderation block', moderationBlock, {
  taken: [
    [['a', 'b'], ['a', 'b'], {}],
    [['a', '--note', 'why'], ['a'], { note: 'why' }],
  ],
  refused: [[[], /missing required argument 'picture'/]],
});

describeParsing('moderation hide', moderationHide, {
  taken: [
    [['a'], ['a'], {}],
    [['a', 'b', '--note', 'why'], ['a', 'b'], { note: 'why' }],
  ],
  refused: [[[], /missing required argument 'uuid'/]],
});

describeParsing('moderation blocked', moderationBlocked, {
  taken: [
    [[], {}],
    [['--limit', '7'], { limit: 7 }],
    [['--all'], { all: true }],
  ],
  refused: [
    [['--limit', 'x'], /whole number/],
    [['--all', '--limit', '7'], /cannot be used with/],
  ],
});

describeParsing('moderation log', moderationLog, {
  taken: [
    [[], {}],
    [['--limit', '7'], { limit: 7 }],
    [['--all'], { all: true }],
  ],
  refused: [
    [['--limit', 'x'], /whole number/],
    [['--all', '--limit', '7'], /cannot be used with/],
  ],
});

describeParsing('moderation unhide', moderationUnhide, {
  taken: [
    [['a'], ['a'], {}],
    [['a', 'b', '--note', 'why'], ['a', 'b'], { note: 'why' }],
  ],
  refused: [[[], /missing required argument 'uuid'/]],
});

describeParsing('moderation unblock', moderationUnblock, {
  taken: [
    [['a', 'b'], ['a', 'b'], {}],
    [['a', '--note', 'why'], ['a'], { note: 'why' }],
  ],
  refused: [[[], /missing required argument 'hash'/]],
});
