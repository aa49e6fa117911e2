#!/usr/bin/env node
import "../dist/renew-certificates.js";
