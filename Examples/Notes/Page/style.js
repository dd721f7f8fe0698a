// The toolbar's font, size and ink.

const fontName = document.getElementById('font-name');
const otherFont = document.getElementById('other-font');
const fontSize = document.getElementById('font-size');
const inks = document.getElementById('inks');
const customInk = document.getElementById('custom-ink');

/** Fonts that are offered, with what stands in where they are not installed. Any other can be named. */
const fonts = {
  'Helvetica': 'sans-serif', 'Verdana': 'sans-serif', 'Trebuchet MS': 'sans-serif',
  'Georgia': 'serif', 'Palatino': 'serif', 'Times New Roman': 'serif',
  'Courier New': 'monospace', 'Comic Sans MS': 'cursive',
};
const other = 'Other font…';

const offeredInks = {
  'Black': '#000000', 'Slate': '#4a5568', 'Brick': '#a3341f', 'Ochre': '#9a6700', 'Moss': '#3f6b2f', 'Sea': '#0f6b74', 'Night': '#2f4b9c', 'Plum': '#7b2f7a',
};

const toHex = ({ red, green, blue }) => '#' + [red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('');
const toColor = (hex) => ({ red: parseInt(hex.slice(1, 3), 16), green: parseInt(hex.slice(3, 5), 16), blue: parseInt(hex.slice(5, 7), 16) });

export class StyleBar {
  #changed;

  /** `changed` is called whenever the user has chosen something. */
  constructor(changed) {
    this.#changed = changed;
    for (const name of Object.keys(fonts)) fontName.add(new Option(name));
    fontName.add(new Option(other));
    for (const [name, hex] of Object.entries(offeredInks)) inks.insertBefore(this.#swatch(name, hex), customInk.parentElement);

    fontName.addEventListener('change', () => {
      otherFont.hidden = fontName.value !== other;
      if (!otherFont.hidden) otherFont.focus();
      else changed();
    });
    otherFont.addEventListener('change', () => {
      const name = otherFont.value.trim();
      if (!name) return;
      this.#chooseFont(name);
      changed();
    });
    fontSize.addEventListener('input', changed);
    customInk.addEventListener('input', () => { this.#chooseInk(customInk.value); changed(); });
  }

  get font() { return { name: fontName.value === other ? otherFont.value.trim() : fontName.value, size: fontSize.valueAsNumber }; }
  get textColor() { return toColor(customInk.value); }

  /** Why the style cannot be kept, or nothing. */
  get objection() {
    const { name, size } = this.font;
    if (!name) return 'Name a font, or choose one of the list.';
    if (!(size >= 8 && size <= 96)) return 'A font size is a number from 8 to 96.';
    return undefined;
  }

  show({ font, textColor }) {
    this.#chooseFont(font.name);
    fontSize.value = font.size;
    this.#chooseInk(toHex(textColor));
  }

  /** Puts the style onto the sheet. Unfit values leave what was there. */
  apply(sheet) {
    if (this.objection) return;
    const { name, size } = this.font;
    // A JSON string is also a CSS string, so no name can end the declaration early.
    sheet.style.setProperty('--font', `${JSON.stringify(name)}, ${fonts[name] ?? 'sans-serif'}`);
    sheet.style.setProperty('--size', `${size}px`);
    sheet.style.setProperty('--ink', customInk.value);
  }

  #chooseFont(name) {
    otherFont.hidden = true;
    otherFont.value = '';
    if (![...fontName.options].some((option) => option.value === name)) fontName.add(new Option(name), fontName.options.length - 1);
    fontName.value = name;
  }

  #chooseInk(hex) {
    customInk.value = hex;
    const offered = inks.querySelector(`input[value="${CSS.escape(hex)}"]`);
    for (const radio of inks.querySelectorAll('input[type=radio]')) radio.checked = radio === offered;
    customInk.parentElement.classList.toggle('chosen', !offered);
  }

  #swatch(name, hex) {
    const label = document.createElement('label');
    const radio = document.createElement('input');
    label.className = 'swatch';
    label.title = name;
    label.style.setProperty('--ink', hex);
    radio.type = 'radio';
    radio.name = 'ink';
    radio.value = hex;
    radio.ariaLabel = name;
    radio.addEventListener('change', () => { this.#chooseInk(hex); this.#changed(); });
    label.append(radio);
    return label;
  }
}
