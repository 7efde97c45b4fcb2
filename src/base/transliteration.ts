/** Stand for what small kana do, until their neighbours are known. */
const [SMALL, DOUBLED] = ['\uE000', '\uE001'];

/**
 * Letters of other scripts as Latin ones, each by itself. Names in packs and on services are made with this table, and commands in
 * worlds contain those names: an entry that has been published never changes. Accents need no entries, as they are
 * removed first; letters without an entry stay, and the caller marks that.
 *
 * Cyrillic as in Russian passports without their exceptions, Greek and Hebrew by ear, Arabic without vowel signs (which
 * are marks), kana by Hepburn, hangul letter by letter as the Revised Romanization writes them.
 */
const LETTERS = new Map<string, string>([
  // Latin letters that are no base letter with a mark.
  ...pairs('ß ss æ ae œ oe ø o đ d ð d þ th ł l ħ h ı i ĸ k ŋ ng ŧ t ə e ɓ b ɗ d ƙ k'),
  // Cyrillic.
  ...pairs('а a б b в v г g д d е e ё e ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f'),
  ...pairs('х kh ц ts ч ch ш sh щ shch ы y э e ю yu я ya ъ _ ь _ є ie і i ї yi ґ g ў u ђ dj ј j љ lj'),
  ...pairs('њ nj ћ c џ dz ѕ dz ә a ғ g қ q ң ng ө o ұ u ү u һ h җ j ҳ h ҷ ch ѣ e ѳ f'),
  // Greek.
  ...pairs('α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch'),
  ...pairs('ψ ps ω o'),
  // Hebrew.
  ...pairs('א a ב b ג g ד d ה h ו v ז z ח h ט t י y כ k ך k ל l מ m ם m נ n ן n ס s ע a פ p ף p צ ts ץ ts'),
  ...pairs('ק k ר r ש sh ת t'),
  // Arabic, with the letters of Persian and Urdu, and the digits.
  ...pairs('ا a ب b ت t ث th ج j ح h خ kh د d ذ dh ر r ز z س s ش sh ص s ض d ط t ظ z ع a غ gh ف f ق q ك k'),
  ...pairs('ل l م m ن n ه h و w ي y ى a ة h ء _ ٱ a پ p چ ch ژ zh گ g ک k ی y ٹ t ڈ d ڑ r ں n ے e ہ h ھ h'),
  ...pairs('٠ 0 ١ 1 ٢ 2 ٣ 3 ٤ 4 ٥ 5 ٦ 6 ٧ 7 ٨ 8 ٩ 9 ۰ 0 ۱ 1 ۲ 2 ۳ 3 ۴ 4 ۵ 5 ۶ 6 ۷ 7 ۸ 8 ۹ 9'),
  // Hiragana; katakana is converted to it.
  ...pairs('あ a い i う u え e お o か ka き ki く ku け ke こ ko が ga ぎ gi ぐ gu げ ge ご go'),
  ...pairs('さ sa し shi す su せ se そ so ざ za じ ji ず zu ぜ ze ぞ zo た ta ち chi つ tsu て te と to'),
  ...pairs('だ da ぢ ji づ zu で de ど do な na に ni ぬ nu ね ne の no は ha ひ hi ふ fu へ he ほ ho'),
  ...pairs('ば ba び bi ぶ bu べ be ぼ bo ぱ pa ぴ pi ぷ pu ぺ pe ぽ po ま ma み mi む mu め me も mo'),
  ...pairs('や ya ゆ yu よ yo ら ra り ri る ru れ re ろ ro わ wa ゐ i ゑ e を o ん n ゔ vu ー _'),
  // Small kana change the syllable before them, and a small tsu doubles the consonant after it.
  ...pairs('ぁ ^a ぃ ^i ぅ ^u ぇ ^e ぉ ^o ゃ ^ya ゅ ^yu ょ ^yo ゎ ^a っ ~ ゕ ka ゖ ke'),
  // Hangul: the letters into which its syllables decompose.
  ...row(0x1100, 'g kk n d tt r m b pp s ss _ j jj ch k t p h'),
  ...row(0x1161, 'a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i'),
  ...row(0x11a8, 'k k k n n n t l k m l l l p l m p p t t ng t t k t p t'),
]);

/** `а a б b`: letters, each with what it becomes; `_` stands for nothing. */
function pairs(text: string): [string, string][] {
  const words = text.split(' ');
  return words.flatMap((letter, at) => (at % 2 === 0 ? [[letter, latin(words[at + 1]!)]] : []));
}

/** The letters from one code point on. */
function row(first: number, text: string): [string, string][] {
  return text.split(' ').map((word, at) => [String.fromCodePoint(first + at), latin(word)]);
}

function latin(word: string): string {
  return word === '_' ? '' : word.replace('^', SMALL).replace('~', DOUBLED);
}

const ASCII = /^[\0-\x7f]*$/;
const FOREIGN = /[^\0-\x7f]/gu;
const KATAKANA = /[\u30a1-\u30f6]/;
const TO_HIRAGANA = 0x60;

/** A text in Latin letters without accents as far as the table goes; without invisible marks. All else stays. */
export function transliterated(text: string): string {
  if (ASCII.test(text)) return text;
  const letters = text
    .normalize('NFKC')
    .replaceAll(FOREIGN, (letter) => known(letter) ?? letter.normalize('NFKD').replaceAll(FOREIGN, part));
  return withoutSmallKana(letters.replaceAll(/[\p{M}\p{Cf}]/gu, ''));
}

/** A letter or digit that has no transliteration. */
const LOST = /(?![\0-\x7f])[\p{L}\p{N}]/u;

/** Whether a transliterated text still has letters or digits of other scripts. */
export function hasForeignLetters(text: string): boolean {
  return LOST.test(text);
}

function part(letter: string): string {
  return known(letter) ?? letter;
}

function known(letter: string): string | undefined {
  const isKatakana = KATAKANA.test(letter);
  const latin = LETTERS.get(isKatakana ? String.fromCodePoint(letter.codePointAt(0)! - TO_HIRAGANA) : letter);
  return latin ?? capital(letter);
}

function capital(letter: string): string | undefined {
  const latin = LETTERS.get(letter.toLowerCase());
  return latin && latin.charAt(0).toUpperCase() + latin.slice(1);
}

function withoutSmallKana(text: string): string {
  return text
    .replaceAll(/(sh|ch|j)i\uE000y/g, '$1')
    .replaceAll(/([b-df-hj-np-tv-z])[aiueo]\uE000/g, '$1')
    .replaceAll(/\uE001+([a-z])/g, '$1$1')
    .replaceAll(/[\uE000\uE001]/g, '');
}
