import { describe, expect, test } from 'vitest';
import { LINE_ROWS, PixelFont } from '../../../src/server/pictures/pixel-font.ts';

const font = new PixelFont();

/** The rows of a text that have pixels, as signs. */
function seen(text: string): string[] {
  const { width, pixels } = font.draw(text);
  const rows = Array.from({ length: LINE_ROWS }, (_, y) =>
    Array.from({ length: width }, (_, x) => (pixels[(y * width + x) * 4 + 3] === 0 ? '.' : '#')).join(''),
  );
  return rows.filter((row) => row.includes('#'));
}

describe('the font', () => {
  test('has every character of skin names, and the letters of European languages', () => {
    const names = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 _.-';
    const latin = 'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ';
    const extended =
      'ĀāĂăĄąĆćĈĉĊċČčĎďĐđĒēĔĕĖėĘęĚěĜĝĞğĠġĢģĤĥĦħĨĩĪīĬĭĮįİıĴĵĶķĸĹĺĻļĽľŁłŃńŅņŇňŊŋŌōŎŏŐőŒœŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŦŧŨũŪūŬŭŮůŰűŲųŴŵŶŷŸŹźŻżŽžȘșȚț';
    const cyrillic = 'АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдеёжзийклмнопрстуфхцчшщъыьэюяЄєІіЇїҐґЎў';
    for (const character of names + latin + extended + cyrillic)
      expect([character, font.has(character)]).toEqual([character, true]);
  });

  test('puts marks on letters, and no dot under them', () => {
    expect(seen('é')).toEqual(['...#.', '..#..', '.###.', '#...#', '#####', '#....', '.###.']);
    expect(seen('ї')).toEqual(['#.#', '##.', '.#.', '.#.', '.#.', '###']);
    expect(seen('ç').slice(-2)).toEqual(['..#..', '.##..']);
  });

  test('has each letter only once: all look different', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789БГДЖЗИЛПФЦЧШЩЪЫЬЭЮЯ'];
    expect(new Set(letters.map((letter) => seen(letter).join('/') + seen(`${letter}g`).join('/'))).size).toBe(
      letters.length,
    );
  });

  test.each(['日本語', 'skin 🐞', 'a\u0300\u0301', '\u0301', 'tab\there', '\u202eevil', 'a\u200bb'])(
    'lacks something of %j, so that the text is not drawn at all',
    (text) => {
      expect([font.has(text), font.widthOf(text), seen(text)]).toEqual([false, 0, []]);
    },
  );
});
