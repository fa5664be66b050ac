"""A double of an Android phone: the device side of the ADB transport, over a userland that it is given."""
