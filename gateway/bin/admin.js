#!/usr/bin/env node
import "../dist/admin/cli.js";
