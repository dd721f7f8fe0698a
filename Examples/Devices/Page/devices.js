// The whole page: what the server says of the two devices is shown, and what is done on one of them is sent.

import { listen } from '/updates.js';
import { DeviceView } from '/devices/device.js';

const views = new Map();

function show(devices) {
  for (const device of devices) {
    let view = views.get(device.id);
    if (!view) {
      view = new DeviceView(device);
      views.set(device.id, view);
      document.getElementById('devices').append(view.root);
    }
    view.show(device);
  }
}

listen('/devices/api/events', 'devices', show);
